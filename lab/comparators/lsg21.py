"""LSG21: regressions of labels whose neighbours in a label graph share features."""

import numpy as np
from scipy.linalg import solve

from labelfield._parameters import declare, positive, whole
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.models.incomplete.center import centred
from labelfield.optim import Trace
from labelfield.optim.trace import warn_unless_converged

__all__ = ["GraphStructuredSparsity", "most_similar"]

STEEPNESS = 8.0  # log-odds per unit of score; decisions see the sign only
SMOOTH = 1e-6  # length below which a group of weights counts as zero


class GraphStructuredSparsity(JointClassifier):
    """LSG21: least squares with an l2,1 norm for every edge of a graph of labels.

    The two weights that a feature has for the labels of an edge are a group: an edge makes its
    labels choose features together. A label without edges has a lasso. Solved by ridge
    regressions whose strengths follow the lengths of the groups.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the norms against half of the summed squares.
    n_neighbors : int, default=2
        Edges lead from each label to as many others, those whose columns have the largest cosine.
    max_iter, tol : int, float
        The fit stops when the objective falls by less than `tol` of itself.
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    edges_ : array of shape (E, 2)
    coef_, intercept_ : arrays of shape (d, L) and (L,)
    trace_ : Trace

    References
    ----------
    Cai, Nie, Cai, Huang (2013): New graph structured sparsity model for multi-label image
    annotations. ICCV. Read in abstract only: that every edge has a norm, and how the graph comes
    from the labels, is our reading.

    Examples
    --------
    >>> from lab.comparators.lsg21 import GraphStructuredSparsity
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> GraphStructuredSparsity().fit(data.X, data.Y).predict(data.X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = declare(
        "max_iter", "tol", "decoder", alpha=[positive], n_neighbors=[whole(0)]
    )

    def __init__(self, *, alpha=1.0, n_neighbors=2, max_iter=300, tol=1e-6, decoder="subset"):
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder

    def _fit(self, X, Y):
        self.edges_ = most_similar(Y, self.n_neighbors)
        X, mean = centred(X)
        center = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
        share = Y.mean(axis=0)
        products = _dense(X.T @ X) - len(Y) * np.outer(center, center)
        targets = np.asarray(X.T @ (Y - share))
        groups = _groups(self.edges_, Y.shape[1])
        self.coef_, self.trace_ = _reweighted(
            products, targets, len(Y) * share * (1.0 - share), groups, self.alpha,
            self.tol, self.max_iter,
        )  # fmt: skip
        self.intercept_ = share - (mean + center) @ self.coef_
        warn_unless_converged(self)

    def _joint(self, X):
        scores = np.asarray(X @ self.coef_, dtype=np.float64) + self.intercept_
        return IndependentJoint(STEEPNESS * (scores - 0.5))


def most_similar(Y, n_neighbors):
    """Return the edges (E, 2) from each label to the most similar others, by cosine."""
    lengths = np.sqrt(Y.sum(axis=0, dtype=float))
    cosines = Y.T.astype(float) @ Y / np.maximum(np.outer(lengths, lengths), 1.0)
    np.fill_diagonal(cosines, -1.0)
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, : min(n_neighbors, Y.shape[1] - 1)]
    edges = {(min(j, k), max(j, k)) for j, row in enumerate(nearest.tolist()) for k in row}
    return np.array(sorted(edges), dtype=np.intp).reshape(-1, 2)


def _dense(products):
    return np.asarray(products.toarray() if hasattr(products, "toarray") else products, dtype=float)


def _groups(edges, n_labels):
    """Return which labels share a norm: (G, L), the edges and the labels that have none."""
    alone = np.setdiff1d(np.arange(n_labels), edges)
    groups = np.zeros((len(edges) + len(alone), n_labels))
    np.put_along_axis(groups[: len(edges)], edges, 1.0, axis=1)
    groups[len(edges) + np.arange(len(alone)), alone] = 1.0
    return groups


def _reweighted(products, targets, squares, groups, alpha, tol, max_iter):
    """Minimise sum_j |y_j - X w_j|^2 / 2 + alpha sum_{f, g} |w_fg|; return weights and Trace.

    products (d, d) are X'X, targets (d, L) X'Y and squares (L,) |y_j|^2 of centred columns. A
    length |w| counts as sqrt(|w|^2 + SMOOTH^2), which a multiple of |w|^2 touches from above: its
    minimum is a ridge regression per label, and the objective never rises.
    """
    weights = np.zeros_like(targets)
    strengths = np.ones_like(targets)
    objective = [np.inf]
    for _ in range(max_iter):
        for label, strength in enumerate(strengths.T):
            shrunk = products + np.diag(alpha * strength)
            weights[:, label] = solve(shrunk, targets[:, label], assume_a="pos")
        lengths = np.sqrt(np.square(weights) @ groups.T + SMOOTH**2)
        strengths = (1.0 / lengths) @ groups
        fit = (
            squares.sum() - 2.0 * np.sum(weights * targets) + np.sum(weights * (products @ weights))
        )
        objective.append(float(0.5 * fit + alpha * lengths.sum()))
        if objective[-2] - objective[-1] <= tol * objective[-1]:
            return weights, Trace(objective[1:], "converged")
    return weights, Trace(objective[1:], "max_iter")
