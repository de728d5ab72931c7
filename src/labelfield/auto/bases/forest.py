"""Extremely randomised trees as a base learner."""

import time

import numpy as np

from labelfield._gate.reading import take_rows
from labelfield.auto.bases.base import Base
from labelfield.auto.evidence import Scores
from labelfield.kernels.sets.logspace import clipped_logit
from labelfield.learners import RowForest

__all__ = ["ForestBase"]

PILOT_TREES = 5


class ForestBase(Base):
    """Trees that weigh training rows: label probabilities and probabilities of sets.

    The forests of the folds stay and answer together; none is grown on all rows, which would take
    longer (`python -m lab.studies.defaults.pool forests` compares the two).

    Parameters
    ----------
    name : str
    n_trees : int
        Of each fold.
    """

    def __init__(self, name, n_trees):
        super().__init__(name)
        self.n_trees = n_trees

    def estimated_seconds(self, data):
        """Time a few trees on the first fold."""
        train = data.folds[0][0]
        started = time.process_time()
        RowForest(PILOT_TREES, random_state=data.seed).fit(
            take_rows(data.features.trees, train), data.filled[train], data.weight_of(train)
        )
        seconds = (time.process_time() - started) / PILOT_TREES
        return seconds * self.n_trees * (len(data.folds) + 0.5)

    def n_steps(self, data):
        """Count the folds."""
        return len(data.folds)

    def bytes_per_row(self):
        """Count the leaves of a row, and the training rows that share them."""
        return 40.0 * self.n_trees * len(self.forests)

    def hold_out(self, data):
        """Grow a forest for every fold; return the Scores of the rows it has not seen."""
        self.forests, parts = [], []
        for number, (train, test) in enumerate(data.folds):
            with data.step("fold"):
                self.forests.append(self._grow(data, train, data.seed + number))
                parts.append(self._ask(self.forests[-1:], data.features.take(test)))
        return Scores.in_order(data.folds, parts)

    def fit(self, data):
        """Do nothing: the forests of the folds are the model."""
        return self

    def scores(self, features):
        """Return the Scores of new rows by the trees of all folds."""
        return self._ask(self.forests, features)

    def _grow(self, data, rows, seed):
        """Return a forest with the labels and sets of its training rows."""
        forest = RowForest(self.n_trees, n_jobs=data.n_jobs, random_state=seed)
        forest.fit(take_rows(data.features.trees, rows), data.filled[rows], data.weight_of(rows))
        return forest, data.filled[rows], data.listed.one_hot(rows)

    def _ask(self, forests, features):
        """Return log-odds and log-probabilities, smoothed by half a tree.

        Of labels, half a tree of one forest: the joints on them were fitted to what one says. Set
        by set, forests that answer together know more of what is rare (`python -m
        lab.studies.defaults.pool_confidence` compares).
        """
        labels, sets = 0.0, 0.0
        for forest, Y, one_hot in forests:
            weights = forest.row_weights(features.trees)
            labels = labels + weights @ Y
            sets = sets + (weights @ one_hot).toarray()
        n_forests = len(forests)
        log_odds = clipped_logit((labels / n_forests * self.n_trees + 0.5) / (self.n_trees + 1.0))
        if not sets.shape[1]:
            return Scores(log_odds)
        return Scores(log_odds, np.log((sets + 0.5 / self.n_trees) / n_forests))
