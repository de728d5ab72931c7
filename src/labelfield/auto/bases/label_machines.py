"""One linear machine of scikit-learn per label, all of them as one matrix of weights."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from labelfield._gate.reading import take_rows

__all__ = ["LinearScores", "fit_machines"]


@dataclass(frozen=True, eq=False)
class LinearScores:
    """Scores X coef + intercept of the labels: coef (d, L), intercept (L,)."""

    coef_: np.ndarray
    intercept_: np.ndarray

    def decision(self, X):
        """Return the scores (n, L)."""
        return np.asarray(X @ self.coef_) + self.intercept_


def fit_machines(make, data, rows, certain):
    """Fit a linear machine to every label, on the rows where it is known.

    Parameters
    ----------
    make : callable
        Returns an unfitted linear classifier of scikit-learn.
    data : Training
    rows : int array
    certain : float
        Score of a label that all these rows have; its negative if none has it.

    Returns
    -------
    LinearScores
    """
    X, weight = take_rows(data.features.linear, rows), data.weight_of(rows)
    with config_context(assume_finite=True, skip_parameter_validation=True):  # else half the time
        fitted = Parallel(n_jobs=data.n_jobs, prefer="threads")(
            delayed(_fit_label)(make(), X, y, weight, certain) for y in data.Y[rows].T
        )
    coef, intercept = zip(*fitted)
    return LinearScores(np.stack(coef, axis=1), np.array(intercept))


def _fit_label(machine, X, y, weight, certain):
    """Return weights (d,) and constant of one label's machine."""
    known = ~np.isnan(y)
    if not known.all():
        X, y = X[known], y[known]
        weight = None if weight is None else weight[known]
    if len(np.unique(y)) < 2:
        return np.zeros(X.shape[1]), certain if y.any() else -certain
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # scores are judged on held-out rows
        machine.fit(X, y, sample_weight=weight)
    return machine.coef_[0], machine.intercept_[0]
