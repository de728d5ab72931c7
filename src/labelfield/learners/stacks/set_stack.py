"""One distribution over listed label sets out of several scores of them."""

import numpy as np
from scipy.optimize import minimize

from labelfield import kernels
from labelfield.kernels.sets.logspace import logsumexp

__all__ = ["SetStack"]

MAX_ITER = 100
LEAST_FALL = 1e-8  # of the loss in a step, against the loss
BLOCK_CELLS = 2_000_000  # rows x sets x scores that are looked at together


class SetStack:
    """Conditional logit: p(set | x) ~ exp(sum_m w_m score_m(x, set)) over the possible sets.

    The scores are usually log-probabilities that models give to the sets, so this is their
    log-linear pool, with weights that maximise the likelihood of rows the models have not seen.
    A score never counts against itself: weights are not negative, but for those of `free` scores.

    Parameters
    ----------
    alpha : float
        Strength of the l2 penalty against the summed loss.
    free : tuple of int
        Scores whose weight may be negative.
    warm_start : bool
        Whether a further fit begins with the weights of the one before, which is quicker where rows
        are much the same.

    Attributes
    ----------
    weights_ : array (m,)

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners import SetStack
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(3, size=200)
    >>> useful, noise = 2.0 * np.eye(3)[truth], rng.normal(size=(200, 3))
    >>> stack = SetStack().fit([useful, noise], truth, np.ones((200, 3), dtype=bool))
    >>> bool(stack.weights_[0] > 1.0 > 0.5 > stack.weights_[1])
    True
    """

    def __init__(self, alpha=1.0, free=(), warm_start=False):
        self.alpha = alpha
        self.free = free
        self.warm_start = warm_start

    def fit(self, scores, truth, possible, sample_weight=None):
        """Fit the weights of the scores.

        Parameters
        ----------
        scores : sequence of m arrays (n, S), finite
        truth : int array (n,)
            The set of each row; rows whose set is impossible or negative say nothing.
        possible : bool array (n, S)
            Sets that a row could have.
        sample_weight : array (n,), optional
        """
        usable = np.flatnonzero(truth >= 0)
        usable = usable[possible[usable, truth[usable]]]
        weight = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, float)
        blocks = self._blocks(usable, scores)

        def part(rows):
            stacked = np.stack([s[rows].astype(np.float32, copy=False) for s in scores])
            return stacked, truth[rows], possible[rows], weight[rows]

        terms = kernels.losses.conditional_logit.choice_terms
        only = part(blocks[0]) if len(blocks) == 1 else None  # copied once

        def objective(coef):
            value, gradient = 0.5 * self.alpha * float(coef @ coef), self.alpha * coef
            for rows in blocks:
                more, slope = terms(coef, *(only or part(rows)))
                value, gradient = value + more, gradient + slope
            return value, gradient

        goes_on = self.warm_start and hasattr(self, "weights_")
        start = self.weights_ if goes_on else np.full(len(scores), 1.0 / len(scores))
        bounds = [(None if m in self.free else 0.0, None) for m in range(len(scores))]
        found = minimize(
            objective,
            start,
            jac=True,
            bounds=bounds,
            method="L-BFGS-B",
            options={"maxiter": MAX_ITER, "ftol": LEAST_FALL},
        )
        self.weights_ = found.x
        return self

    def transform(self, scores, possible):
        """Return log p(set | x) of every set: m arrays (n, S) -> (n, S), -inf if impossible."""
        total = sum(
            w * np.asarray(score, dtype=np.float64) for w, score in zip(self.weights_, scores)
        )
        total = np.where(possible, total, -np.inf)
        return total - logsumexp(total, axis=1)[:, None]

    def _blocks(self, rows, scores):
        step = max(1, BLOCK_CELLS // (len(scores) * scores[0].shape[1]))
        return [rows[first : first + step] for first in range(0, len(rows), step)]
