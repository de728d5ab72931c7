"""Logistic regression of all labels at once."""

import numpy as np

from labelfield.learners.design import narrow
from labelfield.learners.linear import LinearLearner
from labelfield.learners.logistic_loss import LogisticLoss
from labelfield.learners.spectrum import SpectralMetric, find_spectrum
from labelfield.optim.column_lbfgs import HISTORY, HISTORY_BYTES

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

    def fit(self, X, Y, sample_weight=None, start=None, mask=None, spectrum=None):
        """Fit every column of Y.

        Parameters
        ----------
        X : array or CSR matrix (n, d), or Design
        Y : array (n, L) in [0, 1]; soft targets are allowed
        sample_weight : array (n,) or (n, L), optional
        start : (coef (d, L), intercept (L,)), optional
            Where to begin.
        mask : bool array (d, L), optional
            Weights that may differ from zero.
        spectrum : Spectrum, optional
            From `find_spectrum`, to save finding it when the same rows come back with other
            weights or targets.

        Returns
        -------
        self
        """
        design, used = narrow(X)
        n, d = design.shape
        weight = np.ones((n, 1))
        if sample_weight is not None:
            weight = np.asarray(sample_weight, dtype=np.float64).reshape(n, -1)
        shared = weight.mean(axis=1)
        center = design.rmatmul(shared[:, None])[:, 0] / max(float(shared.sum()), 1e-300)
        if not self.l1_ratio:
            spectrum = find_spectrum(design, shared) if spectrum is None else spectrum.take(used)
        W, traces = np.zeros((d + 1, Y.shape[1])), []
        for columns in _blocks(Y.shape[1], d):
            own = weight if weight.shape[1] == 1 else weight[:, columns]
            allowed = None if mask is None else mask[used][:, columns]
            loss = LogisticLoss(design, Y[:, columns], own, center, allowed)
            W[-1, columns], varies = _constants(loss)
            chosen = np.arange(Y.shape[1])[columns][varies]
            if not len(chosen):
                continue
            if start is not None:
                W[:-1, chosen] = start[0][used][:, chosen]
                W[-1, chosen] = start[1][chosen] + center @ W[:-1, chosen]
            loss = loss.take(varies)
            metric = SpectralMetric(spectrum, self.alpha, loss.mask)
            W[:, chosen], trace = self._minimise(loss, W[:, chosen], metric, unpenalized=1)
            traces.append(trace)
        self.coef_ = self._widened(W[:-1], used, X)
        self.intercept_ = (W[-1] - center @ W[:-1]).astype(design.dtype, copy=False)
        self._report(traces)
        return self


def _blocks(n_labels, d):
    """Cut the labels into slices whose L-BFGS histories stay within bounds."""
    step = max(1, HISTORY_BYTES // (16 * HISTORY * (d + 1)))
    for first in range(0, n_labels, step):
        yield slice(first, first + step)


def _constants(loss):
    """Return the log-odds (L,) of labels without features, and where there are two sides."""
    present = (loss.weight * loss.Y).sum(axis=0)
    absent = (loss.weight * (1.0 - loss.Y)).sum(axis=0)
    varies = (present > 0) & (absent > 0)
    prior = np.where(varies, 0.0, 0.5)
    return np.log((present + prior) / (absent + prior)), np.flatnonzero(varies)
