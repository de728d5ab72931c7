"""Boosted trees as a base learner."""

import time

from labelfield._gate.reading import take_rows
from labelfield.auto.bases.base import FoldwiseBase
from labelfield.auto.evidence import Scores
from labelfield.kernels.sets.logspace import clipped_logit
from labelfield.learners import LabelTrees

__all__ = ["BoostedBase"]

PILOT_ROUNDS = 5


class BoostedBase(FoldwiseBase):
    """LightGBM on every label."""

    def __init__(self, name, n_rounds=100):
        super().__init__(name)
        self.n_rounds = n_rounds

    def estimated_seconds(self, data):
        """Time a few rounds of the most frequent label."""
        label = int(data.filled.sum(axis=0).argmax())
        pilot = LabelTrees(n_trees=PILOT_ROUNDS, n_jobs=data.n_jobs)
        started = time.process_time()
        pilot.fit(data.features.trees, data.filled[:, [label]], data.sample_weight)
        seconds = (time.process_time() - started) / PILOT_ROUNDS
        return seconds * self.n_rounds * data.Y.shape[1] * (len(data.folds) + 1)

    def fit_rows(self, data, rows):
        """Grow the trees of every label."""
        trees = LabelTrees(n_trees=self.n_rounds, n_jobs=data.n_jobs, random_state=data.seed)
        X = take_rows(data.features.trees, rows)
        return trees.fit(X, data.filled[rows], data.weight_of(rows))

    def scores_by(self, model, features):
        """Return the log-odds of the label probabilities."""
        return Scores(clipped_logit(model.predict_proba(features.trees)))
