"""One distribution over listed label sets out of log-odds of the labels."""

import numpy as np
from scipy.optimize import minimize

__all__ = ["SetLogit"]

MAX_ITER = 50
BLOCK_CELLS = 4_000_000  # rows x sets that are looked at together
FREE = 0.1  # strength of the penalty on the shifts, against 1 for the others


class SetLogit:
    """Softmax over listed sets: p(S | x) ~ exp(sum_{l in S} (a_l z_l + c_l) + b_S).

    z are log-odds of rows that whoever gives them has not seen. Slopes a and shifts c calibrate
    them for labels that exclude or favour each other, where independent calibration cannot; the
    constants b of the sets say which of them occur. The penalty draws the slopes to one, the rest
    to zero.

    Parameters
    ----------
    alpha : float
        Strength of the l2 penalty against the summed loss.

    Attributes
    ----------
    slope_, shift_ : arrays (L,)
    constants_ : array (S,)

    Examples
    --------
    One label of two, by log-odds that are too timid:

    >>> import numpy as np
    >>> from labelfield.learners import SetLogit
    >>> rng = np.random.default_rng(0)
    >>> truth, sets = rng.integers(2, size=300), np.eye(2)
    >>> log_odds = 0.2 * (2 * sets[truth] - 1) + 0.1 * rng.normal(size=(300, 2))
    >>> logit = SetLogit().fit(log_odds, truth, sets, np.ones((300, 2), dtype=bool))
    >>> bool((logit.slope_ > 2.0).all())
    True
    """

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, log_odds, truth, sets, possible, sample_weight=None):
        """Fit slopes, shifts and constants.

        Parameters
        ----------
        log_odds : array (n, L)
        truth : int array (n,)
            The set of each row; rows whose set is impossible or negative say nothing.
        sets : array (S, L) of 0 and 1
        possible : bool array (n, S)
            Sets that a row could have.
        sample_weight : array (n,), optional
        """
        usable = np.flatnonzero(truth >= 0)
        usable = usable[possible[usable, truth[usable]]]
        weight = np.ones(len(truth)) if sample_weight is None else sample_weight
        Z, sets = np.asarray(log_odds, dtype=np.float32), np.asarray(sets, dtype=np.float32)
        step = max(1, BLOCK_CELLS // max(len(sets), 1))
        blocks = [
            (Z[rows], truth[rows], possible[rows], weight[rows].astype(np.float32))
            for rows in np.split(usable, range(step, len(usable), step))
        ]
        n_labels = Z.shape[1]
        center = np.concatenate([np.ones(n_labels), np.zeros(n_labels + len(sets))])
        ridge = np.full(len(center), self.alpha)
        ridge[n_labels : 2 * n_labels] *= FREE

        def objective(theta):
            away = theta - center
            value, gradient = 0.5 * float((ridge * away) @ away), ridge * away
            for block in blocks:
                more, slope = _loss(theta.astype(np.float32), sets, *block)
                value, gradient = value + more, gradient + slope
            return value, gradient

        found = minimize(
            objective, center, jac=True, method="L-BFGS-B", options={"maxiter": MAX_ITER}
        )
        self.slope_, self.shift_, self.constants_ = _parts(found.x, n_labels)
        self.sets = sets
        return self

    def transform(self, log_odds, possible):
        """Return log p(set | x) of every set: (n, L) -> (n, S), -inf if impossible."""
        scores = (log_odds * self.slope_ + self.shift_) @ self.sets.T + self.constants_
        scores = np.where(possible, scores, -np.inf)
        top = scores.max(axis=1, keepdims=True)
        return scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))


def _parts(theta, n_labels):
    return theta[:n_labels], theta[n_labels : 2 * n_labels], theta[2 * n_labels :]


def _loss(theta, sets, Z, truth, possible, weight):
    """Return the negative log-likelihood of a block of rows, and its gradient (2 L + S,)."""
    slope, shift, constants = _parts(theta, Z.shape[1])
    scores = (Z * slope + shift) @ sets.T + constants
    scores[~possible] = -np.inf
    rows = np.arange(len(truth))
    scores -= scores.max(axis=1, keepdims=True)
    of_truth = scores[rows, truth]
    p = np.exp(scores, out=scores)
    total = p.sum(axis=1)
    value = weight @ (np.log(total) - of_truth)
    p /= total[:, None]
    p[rows, truth] -= 1.0
    p *= weight[:, None]
    of_labels = p @ sets
    gradient = [(of_labels * Z).sum(axis=0), of_labels.sum(axis=0), p.sum(axis=0)]
    return float(value), np.concatenate(gradient).astype(np.float64)
