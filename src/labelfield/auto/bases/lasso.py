"""Logistic regressions on few of many sparse features as a base learner."""

import time
import warnings

import numpy as np
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.parallel import Parallel, delayed

from labelfield._gate.reading import take_rows
from labelfield.auto.bases.base import Base, walk
from labelfield.auto.evidence import Scores, in_order
from labelfield.learners import LinearScores

__all__ = ["LassoBase"]

COSTS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # of an error, against a penalty of 1
FIRST = 3
USUAL_TRIES = 3
N_FOLDS = 2  # that the cost is chosen on
TOLERANCE = 1e-2


class LassoBase(Base):
    """A logistic regression with an l1 penalty for every label.

    For sparse features such as words, of which a handful decides a label. The cost of errors is
    chosen on the first two folds.
    """

    def estimated_seconds(self, data):
        """Time the most frequent label at the first cost."""
        label = int(data.filled.sum(axis=0).argmax())
        started = time.process_time()
        _machine(COSTS[FIRST], data).fit(data.features.linear, data.filled[:, label] > 0)
        seconds = time.process_time() - started
        return seconds * data.Y.shape[1] * (USUAL_TRIES * N_FOLDS + len(data.folds))

    def hold_out(self, data):
        """Walk from the first cost to larger and to smaller ones while they are better."""
        first, tried = data.folds[:N_FOLDS], {}
        rows = np.concatenate([test for _, test in first])

        def likelihood(number):
            if number not in tried:
                parts = [self._answer(data, fold, COSTS[number]) for fold in first]
                tried[number] = _log_likelihood(np.concatenate(parts), data, rows), parts
            return tried[number][0]

        best = walk(likelihood, len(COSTS), FIRST)
        self.cost = COSTS[best]
        rest = [self._answer(data, fold, self.cost) for fold in data.folds[N_FOLDS:]]
        return Scores(in_order(data.folds, tried[best][1] + rest))

    def fit(self, data):
        """Fit to all rows at the chosen cost."""
        self.model = self._fit(data, np.arange(len(data.Y)), self.cost)
        return self

    def scores(self, features):
        """Return the log-odds of new rows."""
        return Scores(self.model.decision(features.linear))

    def _answer(self, data, fold, cost):
        train, test = fold
        return self._fit(data, train, cost).decision(take_rows(data.features.linear, test))

    def _fit(self, data, rows, cost):
        certain = float(np.log(2.0 * len(rows) + 1.0))  # half a row speaks against it
        X, weight = take_rows(data.features.linear, rows), data.weight_of(rows)
        with config_context(assume_finite=True, skip_parameter_validation=True):  # half the time
            fitted = Parallel(n_jobs=data.n_jobs, prefer="threads")(
                delayed(_fit_label)(_machine(cost, data), X, y, weight, certain)
                for y in data.Y[rows].T
            )
        coef, intercept = zip(*fitted)
        return LinearScores(np.stack(coef, axis=1), np.array(intercept))


def _machine(cost, data):
    return LogisticRegression(
        C=cost, l1_ratio=1.0, solver="liblinear", tol=TOLERANCE, random_state=data.seed
    )


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


def _log_likelihood(log_odds, data, rows):
    """Return the mean log-likelihood of the known labels of some rows."""
    Y, weight = data.Y[rows], data.weight_of(rows)
    losses = np.logaddexp(0.0, np.where(Y == 1.0, -1.0, 1.0) * log_odds)
    return -float(np.average(np.where(np.isnan(Y), 0.0, losses).sum(axis=1), weights=weight))
