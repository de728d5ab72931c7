"""Logistic regressions of all labels in all folds: the columns of one fit."""

from functools import partial

import numpy as np
import scipy.sparse as sp

from labelfield._gate.blocks import BlockSource
from labelfield._namespaces import is_tensor, to_host
from labelfield.learners.logistic import LogisticLearner
from labelfield.learners.rows import Targets, as_rows
from labelfield.learners.rows.design import as_fit_design, narrow, used_columns
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
    X : array or CSR matrix (n, d), or BlockSource
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
        K = len(folds)
        labels, fold = np.repeat(np.arange(L), K), np.tile(np.arange(K), L)
        if weight.shape[1] == 1:
            self.columns, times = (labels, fold), weight * trained
        else:
            self.columns, times = (labels, labels * K + fold), FoldWeights(weight, trained)
        stream = isinstance(X, BlockSource)
        features = as_rows(X if stream else light_copy(X, self.shared), n_jobs=n_jobs)
        self.rows = features.with_targets(Y if is_tensor(X) else Targets.of(Y), times)
        self.spectrum = None
        if not l1_ratio:
            self.spectrum = find_spectrum(features.with_targets(None, self.shared[:, None]))
        used = X.used if stream else used_columns(X)
        self.mask = None if mask is None else np.repeat(mask[used], K, axis=1)
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
        fold = np.full((n, 1), -1)
        for k, test in enumerate(self.tests):
            fold[test] = k
        scores = partial(_own_scores, coef=learner.coef_, n_folds=len(self.tests))
        constants = to_host(learner.intercept_).reshape(L, -1)
        likelihood = np.full(n, np.nan)
        log_odds = np.full((n, L), np.nan) if self.keep_log_odds else None
        for block, (rows, Z) in self.rows.with_targets(self.rows.targets, fold).each(scores):
            rows = rows + block.start
            Z += constants[:, fold[rows, 0]].T
            Y = self.Y[rows].toarray() if sp.issparse(self.Y) else self.Y[rows]
            terms = Y * Z - np.logaddexp(0.0, Z)
            likelihood[rows] = np.einsum(
                "ij,ij->i", np.broadcast_to(self.weight[rows], terms.shape), terms
            )
            if log_odds is not None:
                log_odds[rows] = Z
        return log_odds, likelihood


def _own_scores(block, coef, n_folds):
    """Return the rows of a block that are held out, and their scores in the fold that does it."""
    fold = to_host(block.weight)[:, 0].astype(np.intp)
    scores = to_host(block.design.matmul(coef)).reshape(len(fold), -1, n_folds)
    rows = np.flatnonzero(fold >= 0)
    return rows, scores[rows, :, fold[rows]]


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
