"""Linear support vector machines of many labels on sparse features."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed

from labelfield import kernels

__all__ = ["LinearScores", "fit_machines"]

LABELS_AT_ONCE = 32  # whose weights stay in the cache
MAX_PASSES = 100


@dataclass(frozen=True, eq=False)
class LinearScores:
    """Scores X coef + intercept of the labels: coef (d, L), intercept (L,)."""

    coef_: np.ndarray
    intercept_: np.ndarray

    def decision(self, X):
        """Return the scores (n, L)."""
        return np.asarray(X @ self.coef_) + self.intercept_


def fit_machines(X, Y, cost, sample_weight=None, *, tol=3e-2, seed=0, n_jobs=None):
    """Return a linear machine with a squared hinge for every label.

    The same machines as scikit-learn's `LinearSVC(C=cost)`, their constants penalised as there;
    all labels are learned in the same passes over the rows, in single precision.

    Parameters
    ----------
    X : CSR matrix (n, d)
    Y : array (n, L)
        0, 1 or NaN (unknown). A label with one value gets no weights and a constant of 1 or -1.
    cost : float
        Of an error, against |w|^2 / 2.
    sample_weight : array (n,), optional
    tol : float
        Stop at a pass that moves the dual variables by less than this share of their sum.
    seed : int
        Of the order of the rows.
    n_jobs : int, optional
        Threads, which share the labels.

    Returns
    -------
    scores : LinearScores

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from labelfield.learners import fit_machines
    >>> X = sp.csr_matrix([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> machines = fit_machines(X, np.array([[1.0], [0.0], [1.0]]), cost=10.0)
    >>> (machines.decision(X) > 0).ravel().tolist()
    [True, False, True]
    """
    X = sp.csr_matrix(X, dtype=np.float32)
    signs = np.nan_to_num(2.0 * Y - 1.0).astype(np.float32)
    cost = np.full(X.shape[0], cost) if sample_weight is None else cost * np.asarray(sample_weight)
    present = np.where(cost[:, None] > 0.0, signs, 0.0)
    varies = (present > 0.0).any(axis=0) & (present < 0.0).any(axis=0)
    weights = np.zeros((X.shape[1] + 1, Y.shape[1]), dtype=np.float32)
    weights[-1] = np.where((present > 0.0).any(axis=0), 1.0, -1.0)
    learned = np.flatnonzero(varies)
    blocks = [learned[k : k + LABELS_AT_ONCE] for k in range(0, len(learned), LABELS_AT_ONCE)]
    fitted = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_ascend)(X, np.ascontiguousarray(signs[:, block]), cost, tol, seed)
        for block in blocks
    )
    for block, found in zip(blocks, fitted):
        weights[:, block] = found
    return LinearScores(weights[:-1], weights[-1].astype(np.float64))


def _ascend(X, signs, cost, tol, seed):
    """Return weights and constants (d + 1, L) of some labels."""
    rng = np.random.default_rng(seed)
    weights = np.zeros((X.shape[1] + 1, signs.shape[1]), dtype=np.float32)
    duals = np.zeros_like(signs)
    cost = cost.astype(np.float32)
    for _ in range(MAX_PASSES):
        order = rng.permutation(len(signs))
        change = kernels.losses.hinge.hinge_pass(
            X.data, X.indices, X.indptr, signs, cost, order, weights, duals
        )
        if change <= tol * float(duals.sum(dtype=np.float64)):
            break
    return weights
