"""The contract of set calibrators."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from labelfield._validation import as_generator

__all__ = ["CARDINALITY", "PRIOR", "SCORE", "SetCalibrator", "cross_predict", "deal_groups"]

# Columns of U. The encoding of the set (L columns) and extra features follow.
SCORE, CARDINALITY, PRIOR = 0, 1, 2


class SetCalibrator(BaseEstimator, ABC):
    """Turns descriptions of predicted sets into probabilities that the sets are right.

    A row of U describes a predicted set: its score (the probability the model gives it), the
    number of its labels, its share among the training sets, its 0/1 encoding (L columns) and any
    extra columns. A subclass writes `_fit(U, targets, weights, groups)` and `_predict(U)`.
    """

    _parameter_constraints: ClassVar[dict] = {}

    def fit(self, U, v, sample_weight=None, *, noise=None, groups=None):
        """Learn from described sets and whether they were right.

        Parameters
        ----------
        U : array of shape (n, m), m >= 1
        v : array of shape (n,), in [0, 1]
            1 where the set was right, 0 where not; between for partial hits such as F1.
        sample_weight : array of shape (n,), optional
        noise : NoiseRates, optional
            Rates at which v is mistaken.
        groups : array of shape (n,), optional
            Rows of one group (candidates of one instance) stay on one side of inner splits.

        Returns
        -------
        self
        """
        self._validate_params()
        U = check_array(U, dtype=np.float64, input_name="U")
        v = check_array(v, dtype=np.float64, ensure_2d=False, input_name="v")
        check_consistent_length(U, v, sample_weight, groups)
        if v.min() < 0 or v.max() > 1:
            raise ValueError(f"v must lie in [0, 1]; got values from {v.min()} to {v.max()}.")
        targets = v if noise is None else noise.targets(v)
        weights = np.ones(len(v)) if sample_weight is None else np.asarray(sample_weight, float)
        groups = np.arange(len(v)) if groups is None else np.asarray(groups)
        return self.fit_targets(U, targets, weights, groups)

    def fit_targets(self, U, targets, weights, groups):
        """Learn from checked arrays and targets that noise may have moved out of [0, 1]."""
        self._fit(U, targets, weights, groups)
        self.n_columns_ = U.shape[1]
        return self

    def predict(self, U):
        """Return the probability that each described set is right: (n, m) -> (n,)."""
        check_is_fitted(
            self,
            "n_columns_",
            msg="This %(name)s is not calibrated yet: call fit(U, v) before asking for confidence.",
        )
        U = check_array(U, dtype=np.float64, input_name="U", ensure_min_samples=0)
        if U.shape[1] != self.n_columns_:
            raise ValueError(f"U has {U.shape[1]} columns, but fit saw {self.n_columns_}.")
        return np.clip(self._predict(U), 0.0, 1.0) if len(U) else np.empty(0)

    @abstractmethod
    def _fit(self, U, targets, weights, groups):
        """Learn from checked arrays; targets may leave [0, 1] where annotations are noisy."""

    @abstractmethod
    def _predict(self, U):
        """Return confidences (n,); values outside [0, 1] are clipped by the caller."""


def deal_groups(groups, n_parts, random_state):
    """Return the part (n,) of each row: groups are shuffled and dealt out in turn."""
    names, member = np.unique(groups, return_inverse=True)
    part = np.arange(len(names)) % n_parts
    return as_generator(random_state).permutation(part)[member]


def cross_predict(calibrator, U, targets, weights, groups, part):
    """Return confidences (n,) of rows whose part the calibrator behind them has not seen."""
    confidence = np.empty(len(U))
    for number in np.unique(part):
        held, used = part == number, part != number
        fitted = clone(calibrator).fit_targets(U[used], targets[used], weights[used], groups[used])
        confidence[held] = fitted.predict(U[held])
    return confidence
