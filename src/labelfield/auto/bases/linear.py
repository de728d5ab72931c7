"""Logistic regressions as a base learner."""

import numpy as np

from labelfield.auto.bases.base import Base
from labelfield.auto.evidence import Scores
from labelfield.learners import LogisticLearner, held_out_log_odds

__all__ = ["LinearBase"]


class LinearBase(Base):
    """Logistic regressions, their strength chosen along a path."""

    def hold_out(self, data):
        """Follow the path of strengths on all folds at once."""
        found = held_out_log_odds(
            data.features.linear, data.Y, data.folds, sample_weight=data.sample_weight
        )
        self.alpha = found.path.alpha
        return Scores(found.log_odds)

    def fit(self, data):
        """Fit to all rows at the chosen strength."""
        known = ~np.isnan(data.Y)
        weight = data.sample_weight
        if not known.all():
            weight = known if weight is None else known * weight[:, None]
        learner = LogisticLearner(alpha=self.alpha, warn=False)
        self.model = learner.fit(data.features.linear, np.where(known, data.Y, 0.0), weight)
        return self

    def scores(self, features):
        """Return the log-odds of new rows."""
        return Scores(self.model.decision(features.linear))
