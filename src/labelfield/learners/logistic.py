"""Logistic regression of all labels at once."""

import numpy as np

from labelfield._namespaces import chosen_columns, chosen_rows, put_rows
from labelfield.learners.linear import LinearLearner
from labelfield.learners.logistic_loss import LogisticLoss
from labelfield.learners.rows import as_fit_rows, find_center
from labelfield.learners.spectrum import SpectralMetric, find_spectrum
from labelfield.optim.history import HISTORY, HISTORY_BYTES

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
        W, traces = rows.place.zeros((len(labels), d + 1), "float64").T, []
        for block in _blocks(len(labels), d, rows.place.budget(HISTORY_BYTES)):
            allowed = None if mask is None else mask[used][:, block]
            own = None if groups is None else groups[block]
            loss = LogisticLoss(rows, center, allowed, labels[block], own)
            constants, varies = loss.constants()
            W[-1, block[0] : block[-1] + 1] = rows.place.asarray(constants)
            chosen = block[varies]
            if not len(chosen):
                continue
            first = chosen_columns(W, chosen)
            if start is not None:
                first[:-1, :] = chosen_columns(chosen_rows(start[0], used), chosen)
                first[-1, :] = chosen_rows(start[1], chosen) + center @ first[:-1, :]
            loss = loss.take(varies)
            metric = SpectralMetric(spectrum, self.alpha, loss.mask)
            found, trace = self._minimise(loss, first, metric, unpenalized=1)
            put_rows(W.T, chosen, found.T)
            traces.append(trace)
        self._store(W, center, used, X)
        self._report(traces)
        return self


def _blocks(n_columns, d, budget):
    """Cut the columns into arrays whose L-BFGS histories stay within a budget in bytes."""
    step = max(1, int(budget // (16 * HISTORY * (d + 1))))
    for first in range(0, n_columns, step):
        yield np.arange(first, min(first + step, n_columns))
