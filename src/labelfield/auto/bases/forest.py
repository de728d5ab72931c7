"""Extremely randomised trees as a base learner."""

import time

import numpy as np

from labelfield._reading import take_rows
from labelfield.auto.bases.base import FoldwiseBase
from labelfield.auto.evidence import Scores
from labelfield.kernels.sets.logspace import clipped_logit
from labelfield.learners import RowForest

__all__ = ["ForestBase"]

PILOT_TREES = 5


class ForestBase(FoldwiseBase):
    """Trees that weigh training rows: label probabilities and probabilities of sets."""

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
        return seconds * self.n_trees * (len(data.folds) + 1.5)

    def bytes_per_row(self):
        """Count the leaves of a row, and the training rows that share them."""
        return 40.0 * self.n_trees

    def fit_rows(self, data, rows):
        """Grow a forest; keep the labels and sets of its training rows."""
        forest = RowForest(self.n_trees, n_jobs=data.n_jobs, random_state=data.seed)
        forest.fit(take_rows(data.features.trees, rows), data.filled[rows], data.weight_of(rows))
        return forest, data.filled[rows], data.listed.one_hot(rows)

    def scores_by(self, model, features):
        """Return log-odds and log-probabilities, smoothed by half a tree."""
        forest, Y, one_hot = model
        weights = forest.row_weights(features.trees)
        labels = (weights @ Y * self.n_trees + 0.5) / (self.n_trees + 1.0)
        if not one_hot.shape[1]:
            return Scores(clipped_logit(labels))
        sets = (weights @ one_hot).toarray() + 0.5 / self.n_trees
        return Scores(clipped_logit(labels), np.log(sets))
