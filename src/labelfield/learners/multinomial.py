"""Softmax regression with soft targets."""

import numpy as np

from labelfield._namespaces import chosen_rows, contiguous, namespace
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.learners.linear import LinearLearner
from labelfield.learners.rows import as_fit_rows, find_center
from labelfield.learners.softmax_loss import SoftmaxLoss, class_shares
from labelfield.learners.spectrum import SpectralMetric, find_spectrum

__all__ = ["MultinomialLearner"]

MIN_SHARE = 1e-9


class MultinomialLearner(LinearLearner):
    """Multinomial logistic regression on targets that sum to one per row.

    Minimises -sum_n s_n sum_k t_nk log p_k(x_n) + alpha [(1 - r) / 2 ||W||^2 + r ||W||_1],
    r = `l1_ratio`, with the constants not penalised; their mean is 0. A class without weight gets
    no weights and a constant of probability 1e-9 at most.

    Parameters
    ----------
    alpha : float
        Strength of the penalty, 1 / C of scikit-learn's LogisticRegression.
    l1_ratio : float in [0, 1]
    max_iter : int
    tol : float
        Stop when no entry of the (proximal) gradient exceeds `tol` times the largest entry of the
        gradient of the model without features.
    warn : bool
        Whether running out of iterations gives a ConvergenceWarning.
    n_jobs : int, optional
        Threads that share the blocks of rows.

    Attributes
    ----------
    coef_ : array (d, K), in the dtype of X
    intercept_ : array (K,), in the dtype of X
    trace_ : Trace
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners import MultinomialLearner
    >>> X, T = np.array([[-1.0], [0.0], [1.0]]), np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> learner = MultinomialLearner().fit(X, T)
    >>> np.exp(learner.log_proba(np.array([[0.0]]))).round(3).tolist()
    [[0.5, 0.5]]
    """

    def fit(self, X, T, sample_weight=None, start=None, spectrum=None):
        """Fit to targets T (n, K) whose rows sum to one.

        Parameters
        ----------
        X : array or CSR matrix (n, d), Design, or Rows
        T : array or sparse matrix (n, K)
            None where Rows bring their targets.
        sample_weight : array (n,), optional
        start : (coef (d, K), intercept (K,)), optional
            Where to begin.
        spectrum : Spectrum, optional
            From `find_spectrum`, to save finding it when the same rows come back.

        Returns
        -------
        self
        """
        rows, used = as_fit_rows(X, T, sample_weight, self.n_jobs)
        K, center = rows.n_labels, find_center(rows)
        xp = rows.place.xp
        W = rows.place.zeros((rows.shape[1] + 1, K), "float64")
        W[-1, :] = rows.place.asarray(np.log(np.maximum(class_shares(rows), MIN_SHARE)))
        if start is not None:
            W[:-1, :] = chosen_rows(start[0], used)
            W[-1, :] = start[1] + center @ W[:-1, :]
        if not self.l1_ratio:
            W -= xp.mean(W, axis=1, keepdims=True)
            spectrum = find_spectrum(rows) if spectrum is None else spectrum.take(used)
        loss = SoftmaxLoss(rows, center)
        metric = _ClassMetric(SpectralMetric(spectrum, self.alpha), K)
        found, trace = self._minimise(loss, xp.reshape(W, (-1, 1)), metric, unpenalized=K)
        W = xp.reshape(found, W.shape)
        constants = W[-1, :] - center @ W[:-1, :]
        self._store(W[:-1, :], constants - xp.mean(constants), used, X)
        self._report([trace])
        return self

    def log_proba(self, X):
        """Return log p_k(x), float64: (n, d) -> (n, K)."""
        scores = self.decision(X)
        xp = namespace(scores)
        scores = xp.astype(scores, xp.float64, copy=False)
        return scores - logsumexp(scores, axis=1)[:, None]


class _ClassMetric:
    """The metric of every class, applied to the parameters of all classes in one row.

    What all classes have in common does not change the probabilities, so that only the ridge, which
    wants none of it, would slowly find it out: gradients have none, and steps are freed of it.
    """

    def __init__(self, metric, n_classes):
        self.metric = metric
        self.n_classes = n_classes

    def take(self, columns):
        """Return the metric itself: there is one problem."""
        del columns
        return self

    def _classes(self, rows):
        return contiguous(namespace(rows).reshape(rows, (-1, self.n_classes)).T)

    def solve(self, rows, curvature):
        solved = self.metric.solve(self._classes(rows), curvature[0, :])
        xp = namespace(solved)
        return xp.reshape((solved - xp.mean(solved, axis=0)).T, (1, -1))

    def norms(self, rows, curvature):
        norms = self.metric.norms(self._classes(rows), curvature[0, :])
        return namespace(norms).sum(norms, keepdims=True)
