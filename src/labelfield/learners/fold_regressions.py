"""Logistic regressions of all labels in all folds: the columns of one fit."""

import numpy as np
import scipy.sparse as sp

from labelfield._namespaces import contiguous, is_tensor, to_host
from labelfield._reading import take_rows
from labelfield.joints.base import block_rows
from labelfield.learners.design import as_fit_design, narrow, used_columns
from labelfield.learners.linear import linear_scores
from labelfield.learners.logistic import LogisticLearner
from labelfield.learners.rows import Targets, as_rows
from labelfield.learners.spectrum import find_spectrum

__all__ = ["MAX_ITER", "TOLERANCE", "FoldRegressions", "light_copy"]

TOLERANCE = 1e-3  # of the fits along a path: moves held-out likelihoods by less than a step does
MAX_ITER = 300
LARGEST = 1e12  # beyond, and below its inverse, squares of single precision are unsafe
TINY = np.finfo(np.float64).tiny


class FoldRegressions:
    """Regressions of all labels in all folds, at one strength after the other.

    They share the matrix products: the held-out rows of a fold have no weight in its columns.

    Parameters
    ----------
    X : array or CSR matrix (n, d)
    Y : array of 0, 1 and NaN (unknown), or CSR matrix of 0 and 1: (n, L)
    folds : list of (train, test) index arrays
    sample_weight : array (n,) or (n, L), optional
    mask : bool array (d, L), optional
    l1_ratio : float
    keep_log_odds : bool
        Whether `fit` answers with the log-odds of held-out rows, (n, L) numbers.
    n_jobs : int, optional

    Attributes
    ----------
    shared : array (n,)
        The weights of the rows.
    """

    def __init__(
        self,
        X,
        Y,
        folds,
        sample_weight=None,
        mask=None,
        *,
        l1_ratio=0.0,
        keep_log_odds=False,
        n_jobs=None,
    ):
        n, L = Y.shape
        weight = np.ones((n, 1))
        if sample_weight is not None:
            weight = np.asarray(sample_weight, dtype=np.float64).reshape(n, -1)
        self.shared = weight.mean(axis=1)
        if not sp.issparse(Y) and Y.dtype.kind == "f" and np.isnan(Y).any():
            weight = np.where(np.isnan(Y), 0.0, weight)
            Y = np.nan_to_num(Y)
        self.Y, self.weight = Y, weight
        self.tests = [test for _, test in folds]
        trained = np.zeros((n, len(folds)))
        for fold, (train, _) in enumerate(folds):
            trained[train, fold] = 1.0
        self.share = float((self.shared @ trained).mean() / max(self.shared.sum(), TINY))
        self.X = light_copy(X, self.shared)
        K = len(folds)
        labels, fold = np.repeat(np.arange(L), K), np.tile(np.arange(K), L)
        if weight.shape[1] == 1:
            self.columns, times = (labels, fold), weight * trained
        else:
            self.columns, times = (labels, labels * K + fold), FoldWeights(weight, trained)
        self.rows = as_rows(self.X, Y if is_tensor(X) else Targets.of(Y), times, n_jobs)
        self.spectrum = None if l1_ratio else find_spectrum(self.rows.design, self.shared)
        self.mask = None if mask is None else np.repeat(mask[used_columns(X)], K, axis=1)
        self.l1_ratio, self.keep_log_odds = l1_ratio, keep_log_odds
        self.start = None

    def fit(self, alpha):
        """Return the log-odds (n, L) of held-out rows, if kept, and their log-likelihoods (n,)."""
        learner = LogisticLearner(
            alpha=alpha * self.share,
            l1_ratio=self.l1_ratio,
            tol=TOLERANCE,
            max_iter=MAX_ITER,
            warn=False,
        )
        learner.fit(
            self.rows,
            None,
            start=self.start,
            mask=self.mask,
            spectrum=self.spectrum,
            columns=self.columns,
        )
        self.start = learner.coef_, learner.intercept_
        return self._held_out(learner)

    def _held_out(self, learner):
        n, L = self.Y.shape
        likelihood = np.full(n, np.nan)
        log_odds = np.full((n, L), np.nan) if self.keep_log_odds else None
        K = len(self.tests)
        for fold, test in enumerate(self.tests):
            coef = contiguous(learner.coef_[:, fold::K])
            constants = learner.intercept_[fold::K]
            for block in block_rows(len(test), 64.0 * L):
                rows = test[block]
                scores = to_host(linear_scores(take_rows(self.X, rows), coef, constants))
                Y = self.Y[rows].toarray() if sp.issparse(self.Y) else self.Y[rows]
                terms = Y * scores - np.logaddexp(0.0, scores)
                times = np.broadcast_to(self.weight[rows], terms.shape)
                likelihood[rows] = np.einsum("ij,ij->i", times, terms)
                if log_odds is not None:
                    log_odds[rows] = scores
        return log_odds, likelihood


class FoldWeights:
    """Weights of entries (n, L) where a row is trained on (n, K), columns in the order (L, K)."""

    def __init__(self, weight, trained):
        self.weight, self.trained = weight, trained
        self.shape = len(weight), weight.shape[1] * trained.shape[1]

    def __getitem__(self, rows):
        products = self.weight[rows][:, :, None] * self.trained[rows][:, None, :]
        return products.reshape(len(products), -1)


def light_copy(X, weight):
    """Return the columns in use, dense ones centred and in single precision if they fit.

    Tensors are neither centred nor rounded.
    """
    if is_tensor(X):
        return narrow(X)[0].X
    X = as_fit_design(X[:, used_columns(X)]).X
    if sp.issparse(X):
        return X
    centred = X - weight @ X / max(float(weight.sum()), TINY)
    sizes = np.abs(centred).max(axis=0, initial=0.0)
    fits = (sizes > 0).any() and sizes.max() < LARGEST and sizes[sizes > 0].min() > 1.0 / LARGEST
    return centred.astype(np.float32) if fits else centred
