"""Ridge regression with a kernel, of many targets at once, also of all rows but some."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.linalg.lapack import dpotri

__all__ = ["KernelRidge", "LandmarkRidge", "kernel_ridge"]

JITTER = 1e-8
LEAST_WEIGHT = 1e-9  # of a row against the largest; with less it has no say in any digit


class _WeightedRows(ABC):
    """Targets of rows with weights, of which the mean is taken off."""

    def __init__(self, targets, sample_weight):
        self.targets = targets
        self.weight = np.ones(len(targets)) if sample_weight is None else sample_weight
        self.mean = self._mean(slice(None))

    @abstractmethod
    def solve(self, penalty):
        """Return the weights (m, t) of the landmarks by the regression on all rows."""

    @abstractmethod
    def held_out(self, folds, penalties):
        """Return what every row gets from the regression on the other folds, per penalty.

        A list of arrays (n, t), one for each of the penalties.
        """

    def _mean(self, rows):
        weight = self.weight[rows]
        return weight @ self.targets[rows] / max(float(weight.sum()), 1e-300)


class KernelRidge(_WeightedRows):
    """Kernel ridge regression; all rows are landmarks.

    The inverse G of kernel + penalty / weights answers for every fold: its test rows get
    targets - inv(G[test, test]) @ G[test] @ (targets - mean of the other rows).

    Parameters
    ----------
    kernel : array (n, n)
    targets : array (n, t)
    sample_weight : array (n,), optional

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners import KernelRidge
    >>> x = np.linspace(0.0, 3.0, 30)
    >>> problem = KernelRidge(np.exp(-np.abs(x[:, None] - x)), np.sin(x)[:, None])
    >>> rest, middle = np.r_[0:14, 16:30], np.r_[14:16]
    >>> (answer,) = problem.held_out([(middle, rest), (rest, middle)], [0.01])
    >>> answer[middle, 0].round(1).tolist(), np.sin(x)[middle].round(1).tolist()
    ([1.0, 1.0], [1.0, 1.0])
    """

    def __init__(self, kernel, targets, sample_weight=None):
        super().__init__(targets, sample_weight)
        self.kernel = kernel
        self.spread = 1.0 / np.maximum(self.weight, LEAST_WEIGHT * self.weight.max())

    def solve(self, penalty):
        """Return the weights (n, t) of the rows."""
        return cho_solve(self._factor(penalty), self.targets - self.mean, check_finite=False)

    def held_out(self, folds, penalties):
        """Return what every row gets from the regression on the other folds, per penalty."""
        answers = []
        for penalty in penalties:
            inverse = _inverse(self._factor(penalty)[0])
            answer = np.empty(self.targets.shape)
            for train, test in folds:
                pull = inverse[test] @ (self.targets - self._mean(train))
                own = cho_factor(inverse[np.ix_(test, test)], lower=True, check_finite=False)
                answer[test] = self.targets[test] - cho_solve(own, pull, check_finite=False)
            answers.append(answer)
        return answers

    def _factor(self, penalty):
        matrix = self.kernel.copy()
        matrix[np.diag_indices_from(matrix)] += penalty * self.spread
        return cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)


class LandmarkRidge(_WeightedRows):
    """Ridge regression on the kernel to landmark rows: Nystroem's approximation of the other.

    Parameters
    ----------
    among : array (m, m)
        The kernel between landmarks.
    kernel : array (n, m)
        That of the rows to the landmarks.
    targets : array (n, t)
    sample_weight : array (n,), optional
    """

    def __init__(self, among, kernel, targets, sample_weight=None):
        super().__init__(targets, sample_weight)
        jitter = JITTER * np.eye(len(among))
        self.factor = cho_factor(among + jitter, lower=True, overwrite_a=True)[0]
        # coordinates of the rows whose inner products are the kernel's: (n, m)
        self.features = solve_triangular(self.factor, kernel.T, lower=True, check_finite=False).T
        self.gram = self._gram(slice(None))
        self.moment = self._moment(slice(None))

    def solve(self, penalty):
        """Return the weights (m, t) of the landmarks."""
        weights = _ridge(self.gram, _centred(self.moment, self.mean), penalty)
        return solve_triangular(self.factor, weights, lower=True, trans="T")

    def held_out(self, folds, penalties):
        """Return what every row gets from the regression on the other folds, per penalty."""
        answers = [np.empty(self.targets.shape) for _ in penalties]
        for train, test in folds:
            mean = self._mean(train)
            gram = self.gram - self._gram(test)
            moment = _centred(self.moment - self._moment(test), mean)
            for answer, penalty in zip(answers, penalties):
                answer[test] = self.features[test] @ _ridge(gram, moment, penalty) + mean
        return answers

    def _moment(self, rows):
        """Return the weighted products of features with targets, and with one: (m, t + 1)."""
        ones = np.ones((len(self.targets), 1))
        targets = np.concatenate([self.targets, ones], axis=1)[rows]
        return self.features[rows].T @ (targets * self.weight[rows][:, None])

    def _gram(self, rows):
        """Return the weighted inner products of features among some rows: (m, m)."""
        scaled = self.features[rows] * np.sqrt(self.weight[rows])[:, None]
        return scaled.T @ scaled  # of an array and itself, which takes half the time


def kernel_ridge(kernel, targets, penalty):
    """Return weights (n, t) of the rows whose kernel (n, n) is given, and the targets' mean (t,).

    `KernelRidge` for one penalty, in the memory of the kernel, which is overwritten.
    """
    mean = targets.mean(axis=0)
    kernel[np.diag_indices_from(kernel)] += penalty
    factor = cho_factor(kernel, lower=True, overwrite_a=True, check_finite=False)
    return cho_solve(factor, targets - mean, check_finite=False), mean


def _inverse(factor):
    """Return the inverse of a symmetric matrix from its lower factor, which is overwritten."""
    inverse, _ = dpotri(factor, lower=1, overwrite_c=1)
    lower = np.tril(inverse)
    return lower + np.tril(inverse, -1).T


def _centred(moment, mean):
    """Return the products (m, t) of features with targets less their mean (t,)."""
    return moment[:, :-1] - moment[:, -1:] * mean


def _ridge(gram, moment, penalty):
    gram = gram + penalty * np.eye(len(gram))
    return cho_solve(cho_factor(gram, lower=True, overwrite_a=True), moment)
