"""LEAD: a classifier chain along a Bayesian network of the errors of binary relevance."""

from itertools import combinations

import numpy as np
from scipy.special import gammaln

from labelfield._parameters import STRENGTH, declare, whole
from labelfield.base import JointClassifier
from labelfield.joints import ChainJoint
from labelfield.learners.conditional import fit_labels

__all__ = ["ErrorNetwork", "best_network", "family_score"]

MAX_LABELS = 15
N_STATES = 3  # an error is a label missed, none, or one too many


class ErrorNetwork(JointClassifier):
    """LEAD: every label depends on x and on its parents in a network of labels.

    Given x, labels depend on each other as the errors of binary relevance do, from which most of
    x has been taken: so the network is learned from those errors alone. It is the directed
    acyclic graph of the highest BDeu score, found by dynamic programming over label sets. Each
    label's logistic regression then sees x and the parents, true in training; predictions go
    along the graph and take one label after the other, as in a classifier chain.

    Parameters
    ----------
    max_parents : int, default=3
    alpha : float or "auto", default=1.0
        Strength of the logistic regressions' penalty.
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    parents_ : bool array of shape (L, L)
        Whether label i is a parent of label j.
    order_ : array of shape (L,)
        Parents before children.

    References
    ----------
    Zhang, Zhang (2010): Multi-label learning by exploiting label dependency. KDD.

    Examples
    --------
    >>> from lab.comparators.lead import ErrorNetwork
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> ErrorNetwork().fit(data.X, data.Y).predict(data.X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = declare(
        "max_iter", "tol", "decoder", alpha=STRENGTH, max_parents=[whole(0)]
    )

    def __init__(self, *, max_parents=3, alpha=1.0, max_iter=1000, tol=1e-6, decoder="subset"):
        self.max_parents = max_parents
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder

    def _fit(self, X, Y):
        logistic = {"alpha": self.alpha, "max_iter": self.max_iter, "tol": self.tol}
        alone = fit_labels(None, X, Y, **logistic)
        errors = Y.astype(np.int8) - (alone.log_odds(X) > 0)
        self.parents_, self.order_ = best_network(errors, self.max_parents)
        self.problems_ = fit_labels(None, X, Y, parents=self.parents_, **logistic)
        self.alpha_, self.strength_path_ = self.problems_.alpha, self.problems_.path

    def _joint(self, X):
        logits = np.asarray(X @ self.problems_.coef) + self.problems_.intercept
        return ChainJoint.linear(logits, self.problems_.coupling.T, self.order_, max_beam=1)


def best_network(errors, max_parents):
    """Return the best graph of errors (n, L) in {-1, 0, 1}: parents (L, L) and an order (L,).

    Sets of labels are bit masks. A best graph of a set has some label without children, a best
    graph of the rest, and that label's best parents among the rest.
    """
    L = errors.shape[1]
    if L > MAX_LABELS:
        raise ValueError(f"LEAD searches all graphs of up to {MAX_LABELS} labels; Y has {L}.")
    families = [_best_parents(errors, label, max_parents) for label in range(L)]
    best, last = np.zeros(2**L), np.zeros(2**L, dtype=int)
    for chosen in range(1, 2**L):
        ends = [label for label in range(L) if chosen >> label & 1]
        scores = [best[chosen ^ 1 << j] + families[j][chosen ^ 1 << j][0] for j in ends]
        best[chosen], last[chosen] = max(scores), ends[int(np.argmax(scores))]
    parents, order, chosen = np.zeros((L, L), dtype=bool), [], 2**L - 1
    while chosen:
        label = last[chosen]
        chosen ^= 1 << label
        parents[list(families[label][chosen][1]), label] = True
        order.append(label)
    return parents, np.array(order[::-1])


def _best_parents(errors, label, max_parents):
    """Return for every set of labels the score and the labels of the best parents within it."""
    L = errors.shape[1]
    others = [other for other in range(L) if other != label]
    best = {}
    for size in range(min(max_parents, L - 1) + 1):
        for family in combinations(others, size):
            mask = sum(1 << other for other in family)
            best[mask] = (family_score(errors, label, family), family)
    for chosen in range(2**L):
        if not chosen >> label & 1:
            smaller = [best[chosen ^ 1 << j] for j in others if chosen >> j & 1]
            own = [best[chosen]] if chosen in best else []
            best[chosen] = max(own + smaller, key=lambda found: found[0])
    return best


def family_score(errors, label, parents):
    """Return the BDeu score (one imagined row) of a label's errors given those of its parents."""
    n_settings = N_STATES ** len(parents)
    code = (errors[:, list(parents)] + 1) @ (N_STATES ** np.arange(len(parents)))
    counts = np.bincount(
        code.astype(int) * N_STATES + errors[:, label] + 1, minlength=N_STATES * n_settings
    ).reshape(n_settings, N_STATES)
    prior, cell = 1.0 / n_settings, 1.0 / (n_settings * N_STATES)
    by_setting = gammaln(prior) - gammaln(prior + counts.sum(axis=1))
    return by_setting.sum() + (gammaln(cell + counts) - gammaln(cell)).sum()
