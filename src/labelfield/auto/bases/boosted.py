"""Boosted trees as a base learner."""

import time

import numpy as np
from lightgbm import Booster, LGBMClassifier

from labelfield._reading import take_rows
from labelfield.auto.bases.base import FoldwiseBase
from labelfield.auto.evidence import Scores

__all__ = ["BoostedBase"]

PILOT_ROUNDS = 5


class BoostedBase(FoldwiseBase):
    """LightGBM on every label; a label without two sides keeps its smoothed log-odds."""

    def __init__(self, name, n_rounds=100):
        super().__init__(name)
        self.n_rounds = n_rounds

    def estimated_seconds(self, data):
        """Time a few rounds of the most frequent label."""
        label = int(data.filled.sum(axis=0).argmax())
        pilot = BoostedBase("pilot", PILOT_ROUNDS)
        started = time.process_time()
        pilot._fit_label(data.features.trees, data.filled[:, label], data.sample_weight, data)
        seconds = (time.process_time() - started) / PILOT_ROUNDS
        return seconds * self.n_rounds * data.Y.shape[1] * (len(data.folds) + 1)

    def fit_rows(self, data, rows):
        """Fit one model per label."""
        X, Y, weight = take_rows(data.features.trees, rows), data.filled[rows], data.weight_of(rows)
        return [self._fit_label(X, Y[:, label], weight, data) for label in range(Y.shape[1])]

    def __getstate__(self):
        """Return the state with every model as LightGBM's own text, which needs no trust."""
        state = dict(self.__dict__)
        if "model" in state:
            state["model"] = [
                p if isinstance(p, float) else p.model_to_string() for p in self.model
            ]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if "model" in state:
            self.model = [
                p if isinstance(p, float) else Booster(model_str=p) for p in state["model"]
            ]

    def scores_by(self, model, features):
        """Return the raw scores, which are log-odds."""
        n = features.trees.shape[0]
        columns = [
            np.full(n, part)
            if isinstance(part, float)
            else part.predict(features.trees, raw_score=True)
            for part in model
        ]
        return Scores(np.stack(columns, axis=1))

    def _fit_label(self, X, y, weight, data):
        positives = int(y.sum())
        if positives in (0, len(y)):
            return float(np.log((positives + 0.5) / (len(y) - positives + 0.5)))
        classifier = LGBMClassifier(
            n_estimators=self.n_rounds,
            learning_rate=0.1,
            num_leaves=15,
            min_child_samples=5,
            subsample=0.8,
            subsample_freq=1,
            colsample_bytree=0.5,
            random_state=data.seed,
            n_jobs=data.n_jobs or 1,
            deterministic=True,
            force_row_wise=True,
            verbosity=-1,
        )
        return classifier.fit(X, y, sample_weight=weight).booster_
