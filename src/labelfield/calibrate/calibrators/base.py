"""The contract of set calibrators."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from labelfield._gate.reading import as_numbers
from labelfield._gate.validation import as_generator, validate_weights
from labelfield.calibrate.noise import NoiseRates

__all__ = [
    "CARDINALITY",
    "PRIOR",
    "SCORE",
    "SetCalibrator",
    "cross_predict",
    "deal_groups",
    "read_descriptions",
]

# Columns of U. The encoding of the set (L columns) and extra features follow.
SCORE, CARDINALITY, PRIOR = 0, 1, 2
ROUNDING = 1e-8
LARGEST = 1e30  # trees read float32


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
        if not isinstance(noise, (NoiseRates, type(None))):
            raise ValueError(f"noise must be a NoiseRates or None; got {noise!r}.")
        U = read_descriptions(U)
        v = _read_hits(v, len(U))
        targets = v if noise is None else noise.targets(v)
        groups = np.arange(len(v)) if groups is None else _read_groups(groups, len(U))
        weights = validate_weights(sample_weight, U)
        if weights is None:
            return self.fit_targets(U, targets, np.ones(len(v)), groups)
        kept = weights > 0  # a row of weight 0 counts as none
        return self.fit_targets(U[kept], targets[kept], weights[kept], groups[kept])

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
        U = read_descriptions(U, min_rows=0)
        if U.shape[1] != self.n_columns_:
            raise ValueError(f"U has {U.shape[1]} columns, but fit saw {self.n_columns_}.")
        return np.clip(self._predict(U), 0.0, 1.0) if len(U) else np.empty(0)

    @abstractmethod
    def _fit(self, U, targets, weights, groups):
        """Learn from checked arrays; targets may leave [0, 1] where annotations are noisy."""

    @abstractmethod
    def _predict(self, U):
        """Return confidences (n,); values outside [0, 1] are clipped by the caller."""


def read_descriptions(U, min_rows=1):
    """Return descriptions of sets as float64 (n, m), with a probability in the first column."""
    if not sp.issparse(U):
        U = as_numbers(U, "U")
    U = check_array(U, dtype=np.float64, input_name="U", ensure_min_samples=min_rows)
    score = U[:, SCORE]
    if not ((score >= -ROUNDING) & (score <= 1.0 + ROUNDING)).all():
        raise ValueError(
            "U must hold the probability of each set in its first column, not its logarithm; got "
            f"values from {score.min():.6g} to {score.max():.6g}."
        )
    largest = np.abs(U).max(initial=0.0)
    if largest > LARGEST:
        raise ValueError(f"U holds {largest:.3g}; scale its extra columns below {LARGEST:.0e}.")
    return U


def _read_hits(v, n_rows):
    v = as_numbers(v, "v", "hits in [0, 1]").astype(np.float64)
    if v.shape != (n_rows,):
        raise ValueError(f"v must have shape {(n_rows,)}, one hit per row of U; got {v.shape}.")
    if not ((v >= 0) & (v <= 1)).all():
        raise ValueError(
            f"v must lie in [0, 1] without NaN; got values from {v.min()} to {v.max()}."
        )
    return v


def _read_groups(groups, n_rows):
    groups = np.asarray(groups)
    if groups.shape != (n_rows,):
        raise ValueError(
            f"groups must have shape {(n_rows,)}, one group per row of U; got {groups.shape}."
        )
    if groups.dtype.kind == "O":
        groups = groups.astype(str)
    return groups


def deal_groups(groups, n_parts, random_state):
    """Return the part (n,) of each row: groups are shuffled and dealt out in turn."""
    names, member = np.unique(groups, return_inverse=True)
    part = np.arange(len(names)) % n_parts
    return as_generator(random_state).permutation(part)[member]


def cross_predict(calibrator, U, targets, weights, groups, part):
    """Return confidences (n,) of rows whose part the calibrator behind them has not seen."""
    confidence = np.empty(len(U))
    for number in np.unique(part):
        left_out, used = part == number, part != number
        fitted = clone(calibrator).fit_targets(U[used], targets[used], weights[used], groups[used])
        confidence[left_out] = fitted.predict(U[left_out])
    return confidence
