"""Logistic regression of all labels at once."""

import numpy as np
import scipy.sparse as sp

from labelfield._namespaces import chosen_columns, chosen_rows, put_rows
from labelfield.learners.linear import LinearLearner
from labelfield.learners.logistic_loss import LogisticLoss
from labelfield.learners.rows import as_fit_rows, find_center
from labelfield.learners.spectrum import SpectralMetric, find_spectrum

__all__ = ["LogisticLearner"]


class LogisticLearner(LinearLearner):
    """Batched logistic regression: the problems of all labels in the same matrix products.

    For each label minimises sum_n s_n CE(y_n, z_n) + alpha [(1 - r) / 2 ||w||^2 + r ||w||_1],
    r = `l1_ratio`, with the constant not penalised. The loss is a sum, so alpha is 1 / C of
    scikit-learn's LogisticRegression. A row of weight 2 is that row twice; one of weight 0 is none.

    A label without positive or without negative weight gets no weights and the constant
    log((positives + 1/2) / (negatives + 1/2)).

    Parameters
    ----------
    alpha : float
        Strength of the penalty.
    l1_ratio : float in [0, 1]
        Share of the l1 norm: 0 is solved by column-wise L-BFGS, the rest by FISTA.
    max_iter : int
    tol : float
        A label is done when no entry of its (proximal) gradient exceeds `tol` times the largest
        entry of the gradient of the model without features.
    warn : bool
        Whether running out of iterations gives a ConvergenceWarning.
    n_jobs : int, optional
        Threads that share the blocks of rows.
    min_weight : float
        Weights of smaller size are dropped after the fit; above 0 `coef_` is a CSR matrix.

    Attributes
    ----------
    coef_ : array (d, L), in the dtype of X
    intercept_ : array (L,), in the dtype of X
    trace_ : Trace of the objective, summed over the labels with two sides
    n_iter_ : int
        Iterations of the slowest label, at least 1.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners import LogisticLearner
    >>> X, Y = np.array([[-1.0], [0.0], [1.0], [2.0]]), np.array([[0, 1], [0, 1], [1, 0], [1, 0]])
    >>> learner = LogisticLearner().fit(X, Y)
    >>> learner.coef_.round(2).tolist()
    [[0.96, -0.96]]
    """

    def __init__(self, *, min_weight=0.0, **options):
        super().__init__(**options)
        self.min_weight = min_weight

    def fit(self, X, Y, sample_weight=None, start=None, mask=None, spectrum=None, columns=None):
        """Fit every column of Y.

        Parameters
        ----------
        X : array or CSR matrix (n, d), Design, or Rows
        Y : array or sparse matrix (n, L) in [0, 1]; soft targets are allowed
            None where Rows bring their targets.
        sample_weight : array (n,) or (n, L), optional
        start : (coef (d, L), intercept (L,)), optional
            Where to begin.
        mask : bool array (d, L), optional
            Weights that may differ from zero.
        spectrum : Spectrum, optional
            From `find_spectrum`, to save finding it when the same rows come back with other
            weights or targets.
        columns : (labels (C,), groups (C,)), optional
            Fit these columns instead of the labels: which label and which of the weights (n, G)
            each has. The folds of a label, for example.

        Returns
        -------
        self
        """
        rows, used = as_fit_rows(X, Y, sample_weight, self.n_jobs)
        d = rows.shape[1]
        labels, groups = (np.arange(rows.n_labels), None) if columns is None else columns
        center = find_center(rows)
        if not self.l1_ratio:
            spectrum = find_spectrum(rows) if spectrum is None else spectrum.take(used)
        found, traces = Weights(d, len(labels), self.min_weight, rows.place), []
        for block in _blocks(len(labels), rows.columns_at_once()):
            allowed = None if mask is None else mask[used][:, block]
            own = None if groups is None else groups[block]
            loss = LogisticLoss(rows, center, allowed, labels[block], own)
            W = rows.place.zeros((len(block), d + 1), "float64").T
            constants, varies = loss.constants()
            W[-1, :] = rows.place.asarray(constants)
            if len(varies):
                chosen, first = block[varies], chosen_columns(W, varies)
                if start is not None:
                    first[:-1, :] = chosen_columns(chosen_rows(start[0], used), chosen)
                    first[-1, :] = chosen_rows(start[1], chosen) + center @ first[:-1, :]
                loss = loss.take(varies)
                metric = SpectralMetric(spectrum, self.alpha, loss.mask)
                solved, trace = self._minimise(loss, first, metric, unpenalized=1)
                put_rows(W.T, varies, solved.T)
                traces.append(trace)
            found.put(block, W, center)
        self._store(*found.all(), used, X)
        self._report(traces)
        return self


class Weights:
    """Weights (d, C) and constants (C,) of the columns solved so far, sparse where pruned."""

    def __init__(self, d, n_columns, min_weight, place):
        self.min_weight = min_weight
        self.coef = [] if min_weight else place.empty((d, n_columns), "float64")
        self.intercept = place.empty((n_columns,), "float64")

    def put(self, block, W, center):
        """Keep centred weights and constants (d + 1, c) of some columns, neighbours."""
        columns = slice(int(block[0]), int(block[-1]) + 1)
        self.intercept[columns] = W[-1, :] - center @ W[:-1, :]
        if self.min_weight:
            large = np.abs(W[:-1]) >= self.min_weight
            self.coef.append(sp.csc_matrix(np.where(large, W[:-1], 0.0)))
        else:
            self.coef[:, columns] = W[:-1, :]

    def all(self):
        """Return weights and constants of all columns."""
        coef = sp.hstack(self.coef, format="csr") if self.min_weight else self.coef
        return coef, self.intercept


def _blocks(n_columns, step):
    """Cut the columns into arrays whose L-BFGS histories stay within bounds."""
    for first in range(0, n_columns, step):
        yield np.arange(first, min(first + step, n_columns))
