"""Linear support vector machines as a base learner."""

import numpy as np

from labelfield._gate.reading import take_rows
from labelfield.auto.bases.base import Base, walk
from labelfield.auto.evidence import Scores, in_order
from labelfield.learners import LinearScores, LogOddsStack, fit_machines

__all__ = ["SvmBase"]

COSTS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # of an error, against a penalty of 1
FIRST = 3
LOG_ODDS = 3.0  # of a label at the margin, before calibration
TOLERANCE = 3e-2  # exact match on the development part of GoEmotions is the same at 1e-2


class SvmBase(Base):
    """A linear machine with a squared hinge for every label.

    For so many sparse features that logistic regressions take minutes; texts. Margins become
    log-odds by a slope and a constant per label, learned on held-out rows. The cost of errors is
    chosen on the first fold.
    """

    def hold_out(self, data):
        """Choose the cost; return margins of held-out rows, calibrated on the other folds."""
        margins = [self._choose_cost(data)]
        for train, test in data.folds[1:]:
            X = take_rows(data.features.linear, test)
            margins.append(self._fit(data, train).decision(X))
        margins = in_order(data.folds, margins)
        self.calibration = _calibrate(margins, data, np.arange(len(data.Y)))
        log_odds = [
            _calibrate(margins[train], data, train).transform([margins[test]])
            for train, test in data.folds
        ]
        return Scores(in_order(data.folds, log_odds))

    def fit(self, data):
        """Fit to all rows; put the calibration into the weights."""
        machines = self._fit(data, np.arange(len(data.Y)))
        slope, shift = self.calibration.slope_[:, 0], self.calibration.shift_
        self.model = LinearScores(
            (machines.coef_ * slope).astype(np.float32), machines.intercept_ * slope + shift
        )
        return self

    def scores(self, features):
        """Return the log-odds of new rows."""
        return Scores(self.model.decision(features.linear))

    def _choose_cost(self, data):
        """Walk from the first cost to larger and to smaller ones while they are better.

        Returns
        -------
        margins : array (m, L)
            Of the test rows of the first fold, at the best cost.
        """
        train, test = data.folds[0]
        X = take_rows(data.features.linear, test)
        tried = {}

        def likelihood(number):
            if number not in tried:
                margins = self._fit(data, train, COSTS[number]).decision(X)
                tried[number] = _likelihood(margins, data, test), margins
            return tried[number][0]

        best = walk(likelihood, len(COSTS), FIRST)
        self.cost = COSTS[best]
        return tried[best][1]

    def _fit(self, data, rows, cost=None):
        """Return the machines of all labels, margins scaled to rough log-odds."""
        cost = self.cost if cost is None else cost
        X, Y, weight = take_rows(data.features.linear, rows), data.Y[rows], data.weight_of(rows)
        machines = fit_machines(
            X, Y, cost, weight, tol=TOLERANCE, seed=data.seed, n_jobs=data.n_jobs
        )
        return LinearScores(LOG_ODDS * machines.coef_, LOG_ODDS * machines.intercept_)


def _calibrate(margins, data, rows):
    labels, known = np.nan_to_num(data.Y[rows]), ~np.isnan(data.Y[rows])
    return LogOddsStack().fit([margins], labels, known, data.weight_of(rows))


def _likelihood(margins, data, rows):
    """Return the mean log-likelihood of known labels after calibration on the same rows."""
    log_odds = _calibrate(margins, data, rows).transform([margins])
    known = ~np.isnan(data.Y[rows])
    signs = np.where(data.Y[rows] == 1.0, 1.0, -1.0)
    weight = data.weight_of(rows)
    losses = np.where(known, np.logaddexp(0.0, -signs * log_odds), 0.0).sum(axis=1)
    return -float(np.average(losses, weights=weight))
