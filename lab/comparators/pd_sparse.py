"""PD-Sparse: a linear max-margin ranking of labels with few weights, solved in its dual."""

import numpy as np
import scipy.sparse as sp

from labelfield._compile import compiled
from labelfield._gate.validation import as_generator
from labelfield._parameters import at_least, declare, positive
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.metrics import METRICS

__all__ = ["PrimalDualSparse", "primal_value", "solve_dual"]

HELD_OUT = 0.2  # of the training rows, to choose the threshold on
N_THRESHOLDS = 100


class PrimalDualSparse(JointClassifier):
    """PD-Sparse: scores XW with few weights in which a row's labels outrank all others by one.

    Minimises |W|^2 / 2 + alpha |W|_1 + C sum_i max(0, 1 + highest absent - lowest present score).
    The dual has a block of variables for each row, in which few labels matter; blocks take exact
    projected steps in turn, each of which lowers the dual objective. A constant feature stands
    for offsets. Labels above a threshold are predicted; it is the best for F1 on a fifth of the
    training rows that a first fit has not seen.

    Parameters
    ----------
    alpha : float, default=0.01
        Strength of the l1 penalty.
    C : float, default=1.0
    max_iter : int, default=50
        Passes over the rows at most.
    tol : float, default=1e-2
        Stop when the duality gap is this share of the objective.
    decoder : str or Decoder, default="hamming"
    random_state : int, Generator or None
        Of the order of rows, and of those held out.

    Attributes
    ----------
    coef_ : array of shape (d + 1, L)
        The last row belongs to the constant.
    threshold_ : float
    trace_ : list of (primal, dual) objectives, one per pass

    References
    ----------
    Yen, Huang, Zhong, Ravikumar, Dhillon (2016): PD-Sparse: a primal and dual sparse approach to
    extreme multiclass and multilabel classification. ICML.

    Examples
    --------
    >>> from lab.comparators.pd_sparse import PrimalDualSparse
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> PrimalDualSparse(random_state=0).fit(data.X, data.Y).predict(data.X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = declare(
        "max_iter", "tol", "decoder", "random_state", alpha=[at_least(0)], C=[positive]
    )

    def __init__(
        self, *, alpha=0.01, C=1.0, max_iter=50, tol=1e-2, decoder="hamming", random_state=None
    ):
        self.alpha = alpha
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.random_state = random_state

    def _fit(self, X, Y):
        rng, X = as_generator(self.random_state), with_constant(X)
        settings = (self.alpha, self.C, self.max_iter, self.tol)
        order = rng.permutation(len(Y))
        held, kept = np.split(order, [int(HELD_OUT * len(Y))])
        self.threshold_ = 0.0
        if len(held):
            first, _ = solve_dual(X[kept], Y[kept], *settings, rng)
            self.threshold_ = best_threshold(X[held] @ first, Y[held])
        self.coef_, self.trace_ = solve_dual(X, Y, *settings, rng)

    def _joint(self, X):
        return IndependentJoint(with_constant(X) @ self.coef_ - self.threshold_)


def with_constant(X):
    """Return X (n, d) as CSR matrix with a column of ones at the end."""
    X = sp.csr_matrix(X, dtype=np.float64)
    return sp.hstack([X, np.ones((X.shape[0], 1))], format="csr")


def best_threshold(scores, Y):
    """Return the threshold of scores (n, L) with the highest mean F1 of the rows."""
    tried = np.unique(np.quantile(scores, np.linspace(0.0, 1.0, N_THRESHOLDS + 1)))
    worth = [METRICS["f1_samples"](Y, (scores > one).astype(np.uint8)) for one in tried]
    return float(tried[int(np.argmax(worth))])


def primal_value(X, Y, W, alpha, C):
    """Return the objective of weights W (d, L)."""
    scores = X @ W
    absent = np.where(Y == 0, scores, -np.inf).max(axis=1)
    present = np.where(Y == 1, scores, np.inf).min(axis=1)
    losses = np.maximum(1.0 + absent - present, 0.0)
    return 0.5 * np.square(W).sum() + alpha * np.abs(W).sum() + C * losses.sum()


def solve_dual(X, Y, alpha, C, max_iter, tol, rng):
    """Return W (d, L) and the objectives (primal, dual) after each pass.

    W is V = X'A shrunk by alpha; a row of A (n, L) is C times a difference of two probability
    vectors, on its labels and on the others, or less.
    """
    n, L = Y.shape
    A, V, trace = np.zeros((n, L)), np.zeros((X.shape[1], L)), []
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    rows = np.flatnonzero((Y.sum(axis=1) > 0) & (Y.sum(axis=1) < L))
    for _ in range(max_iter):
        one_pass(rng.permutation(rows), X.indptr, X.indices, X.data, squares, Y, A, V, alpha, C)
        W = np.sign(V) * np.maximum(np.abs(V) - alpha, 0.0)
        dual = np.where(Y == 1, A, 0.0).sum() - 0.5 * np.square(W).sum()
        trace.append((primal_value(X, Y, W, alpha, C), dual))
        if trace[-1][0] - dual <= tol * trace[-1][0]:
            break
    return W, trace


@compiled
def one_pass(rows, starts, columns, values, squares, Y, A, V, alpha, C):
    """Take a projected gradient step in the block of each row; A and V change in place."""
    L = Y.shape[1]
    scores, wanted = np.empty(L), np.empty(L)
    for i in rows:
        scores[:] = 0.0
        for at in range(starts[i], starts[i + 1]):
            for k in range(L):
                v = V[columns[at], k]
                shrunk = max(v - alpha, 0.0) + min(v + alpha, 0.0)
                scores[k] += values[at] * shrunk
        for k in range(L):
            wanted[k] = A[i, k] - (scores[k] - Y[i, k]) / squares[i]
        nearest_block(wanted, Y[i], C)
        for k in range(L):
            change = wanted[k] - A[i, k]
            if change != 0.0:
                A[i, k] = wanted[k]
                for at in range(starts[i], starts[i + 1]):
                    V[columns[at], k] += values[at] * change


@compiled
def nearest_block(wanted, present, C):
    """Move `wanted` (L,) to the nearest allowed block, in place.

    Allowed are entries >= 0 at present labels, <= 0 at absent ones, of equal sums up to C.
    """
    low, high = wanted.min(), wanted.max()
    level = _root(wanted, present, low, high, 0, 0.0)
    gained = 0.0
    for k in range(len(wanted)):
        if present[k]:
            gained += max(wanted[k] - level, 0.0)
    above, below = level, level
    if gained > C:  # each side on its own
        above = _root(wanted, present, level, high, 1, C)
        below = _root(wanted, present, low, level, -1, C)
    for k in range(len(wanted)):
        if present[k]:
            wanted[k] = max(wanted[k] - above, 0.0)
        else:
            wanted[k] = min(wanted[k] - below, 0.0)


@compiled
def _root(wanted, present, low, high, side, goal):
    """Return the level at which the sums of a side, or of both (0), reach their goal."""
    for _ in range(100):
        level = 0.5 * (low + high)
        total = 0.0
        for k in range(len(wanted)):
            if present[k] and side >= 0:
                total += max(wanted[k] - level, 0.0)
            elif not present[k] and side <= 0:
                total += min(wanted[k] - level, 0.0)
        if (total > goal and side >= 0) or (side < 0 and total > -goal):
            low = level
        else:
            high = level
    return 0.5 * (low + high)
