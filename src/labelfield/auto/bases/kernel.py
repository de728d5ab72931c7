"""A kernel machine as a base learner."""

import numpy as np
from scipy.optimize import minimize_scalar

from labelfield._gate.reading import take_rows
from labelfield.auto.bases.base import Base
from labelfield.auto.evidence import Scores
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.learners import KernelMachine, KernelRidge, KernelView

__all__ = ["KernelBase"]

MAX_LANDMARKS = 2000
SEARCH_ROWS = 800  # rows on which the view and the rate are chosen
SEARCH_RATES = (0.5, 1.0, 2.0, 4.0)
SEARCH_PENALTY = 0.1
PENALTIES = (0.01, 0.1, 1.0)
DISTANCES_A_SECOND = 4e9  # of one feature, one core
PRODUCTS_A_SECOND = 2e10


class KernelBase(Base):
    """A kernel machine on the labels and on the listed sets."""

    def __init__(self, name, scalings):
        super().__init__(name)
        self.scalings = scalings

    def estimated_seconds(self, data):
        """Count multiplications: of distances, of features, of solving on every fold."""
        (n, d), n_targets = data.features.kernel.shape, len(data.listed.sets) + data.Y.shape[1]
        m, searched = min(n, MAX_LANDMARKS), min(n, SEARCH_ROWS)
        distances = len(self.scalings) * d * (n * m + searched**2)
        products = 2 * len(self.scalings) * len(SEARCH_RATES) * searched**3
        if n == m:
            products += len(PENALTIES) * m**2 * (m + n_targets)
        else:
            n_solves = len(data.folds) * len(PENALTIES)
            products += n * m**2 * 4 + n_solves * m**2 * (m / 3 + 2 * n_targets)
        return distances / DISTANCES_A_SECOND + products / PRODUCTS_A_SECOND

    def bytes_per_row(self):
        """Count distances and kernels to the landmarks."""
        return 24.0 * self.machine.weights_.shape[0]

    def hold_out(self, data):
        """Choose view and rate on some rows, penalties on all."""
        rng = np.random.default_rng(data.seed)
        X, n_sets = data.features.kernel, len(data.listed.sets)
        views, rate = self._search(data, rng)
        landmarks, chosen = X, None
        if len(data.Y) > MAX_LANDMARKS:
            chosen = np.sort(rng.permutation(len(data.Y))[:MAX_LANDMARKS])
            landmarks = take_rows(X, chosen)
        self.machine = KernelMachine(views, rate, landmarks)
        targets = np.concatenate(
            [data.listed.one_hot(np.arange(len(data.Y))).toarray(), 2.0 * data.filled - 1.0], axis=1
        )
        self.problem = self.machine.problem(X, targets, data.sample_weight, chosen)
        answers = self.problem.held_out(data.folds, PENALTIES)
        labels = [_label_slope(answer[:, n_sets:], data) for answer in answers]
        sets = [_set_slope(answer[:, :n_sets], data) if n_sets else (0, 1) for answer in answers]
        self.best_labels = max(range(len(PENALTIES)), key=lambda i: labels[i][0])
        self.best_sets = max(range(len(PENALTIES)), key=lambda i: sets[i][0])
        self.slopes = labels[self.best_labels][1], sets[self.best_sets][1]
        self.n_sets = n_sets
        return self._scores(answers[self.best_labels], answers[self.best_sets])

    def fit(self, data):
        """Solve for all rows at the chosen penalties."""
        machine, n_sets = self.machine, self.n_sets
        of_labels = machine.fit(self.problem, PENALTIES[self.best_labels]).weights_[:, n_sets:]
        machine.fit(self.problem, PENALTIES[self.best_sets])
        machine.weights_[:, n_sets:] = of_labels
        del self.problem, machine.rows  # needed for fitting only
        return self

    def scores(self, features):
        """Return log-odds and scores of sets."""
        answer = self.machine.decision(features.kernel)
        return self._scores(answer, answer)

    def _scores(self, for_labels, for_sets):
        log_odds = self.slopes[0] * for_labels[:, self.n_sets :]
        if not self.n_sets:
            return Scores(log_odds)
        return Scores(log_odds, self.slopes[1] * for_sets[:, : self.n_sets])

    def _search(self, data, rng):
        """Return the views and the rate that are best for the labels of some rows."""
        rows = np.sort(rng.permutation(len(data.Y))[:SEARCH_ROWS])
        X, Y = take_rows(data.features.kernel, rows), data.filled[rows]
        fold_of = np.empty(len(data.Y), dtype=int)
        for number, (_, test) in enumerate(data.folds):
            fold_of[test] = number
        folds = [
            (np.flatnonzero(fold_of[rows] != k), np.flatnonzero(fold_of[rows] == k))
            for k in range(len(data.folds))
        ]
        folds = [(train, test) for train, test in folds if len(train) and len(test)]
        views = [KernelView(scaling).fit(data.features.kernel) for scaling in self.scalings]
        scaled = [view.transform(X) for view in views]
        distances = [view.distances(S, S) for view, S in zip(views, scaled)]
        choices = [[v] for v in range(len(views))] + ([[*range(len(views))]] if views[1:] else [])
        best = None
        for chosen in choices:
            for rate in SEARCH_RATES:
                kernel = np.mean([np.exp(-rate * distances[v]) for v in chosen], axis=0)
                problem = KernelRidge(kernel, 2.0 * Y - 1.0, data.weight_of(rows))
                (answer,) = problem.held_out(folds, [SEARCH_PENALTY])
                error = float(((answer - problem.targets) ** 2).mean())
                if best is None or error < best[0]:
                    best = error, [views[v] for v in chosen], rate
        return best[1:]


def _label_slope(answer, data):
    """Return the best mean log-likelihood of known labels under slope * answer, and the slope."""
    known = ~np.isnan(data.Y)
    signs = np.where(known, 2.0 * np.nan_to_num(data.Y) - 1.0, 0.0)
    return _best_slope(lambda slope: -np.logaddexp(0.0, -slope * signs * answer)[known].mean())


def _set_slope(answer, data):
    """Return the best mean log-likelihood of listed sets under slope * answer, and the slope."""
    rows = np.flatnonzero(data.listed.of_row >= 0)
    truth, answer = data.listed.of_row[rows], answer[rows]
    own = answer[np.arange(len(rows)), truth]
    return _best_slope(lambda slope: (slope * own - logsumexp(slope * answer, axis=1)).mean())


def _best_slope(log_likelihood):
    found = minimize_scalar(
        lambda log_slope: -log_likelihood(np.exp(log_slope)),
        bounds=(-2.0, 5.0),
        method="bounded",
        options={"xatol": 0.02},
    )
    return -float(found.fun), float(np.exp(found.x))
