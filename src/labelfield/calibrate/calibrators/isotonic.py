"""A confidence that rises with the score."""

import numpy as np
from sklearn.isotonic import IsotonicRegression

from labelfield._parameters import choice, whole
from labelfield.calibrate.calibrators.base import CARDINALITY, SCORE, SetCalibrator

__all__ = ["IsotonicSetCalibrator"]


class IsotonicSetCalibrator(SetCalibrator):
    """Isotonic regression of the hits on the score, for all sets or for each cardinality.

    Parameters
    ----------
    by : {"none", "cardinality"}, default="none"
        One curve, or one for every number of labels.
    min_rows : int, default=20
        A cardinality with fewer rows uses the common curve.

    Attributes
    ----------
    curve_ : IsotonicRegression
        The common curve.
    curves_ : dict of int to IsotonicRegression
        Curves by number of labels; empty with `by="none"`.

    Examples
    --------
    >>> from labelfield import IsotonicSetCalibrator
    >>> calibrator = IsotonicSetCalibrator().fit([[0.1], [0.3], [0.6], [0.8]], [0, 1, 0, 1])
    >>> calibrator.predict([[0.2], [0.5], [0.9]])
    array([0.25, 0.5 , 1.  ])
    """

    _parameter_constraints = {"by": [choice("none", "cardinality")], "min_rows": [whole(1)]}

    def __init__(self, *, by="none", min_rows=20):
        self.by = by
        self.min_rows = min_rows

    def _fit(self, U, targets, weights, groups):
        self.curve_ = _fit_curve(U[:, SCORE], targets, weights)
        self.curves_ = {}
        if self.by == "none":
            return
        sizes, counts = np.unique(_cardinalities(U), return_counts=True)
        for size in sizes[counts >= self.min_rows].tolist():
            rows = U[:, CARDINALITY] == size
            self.curves_[int(size)] = _fit_curve(U[rows, SCORE], targets[rows], weights[rows])

    def _predict(self, U):
        confidence = self.curve_.predict(U[:, SCORE])
        for size, curve in self.curves_.items():
            rows = U[:, CARDINALITY] == size
            if rows.any():
                confidence[rows] = curve.predict(U[rows, SCORE])
        return confidence


def _cardinalities(U):
    if U.shape[1] <= CARDINALITY or (U[:, CARDINALITY] % 1 != 0).any():
        raise ValueError(
            "by='cardinality' needs the number of labels of each set in the second column of U."
        )
    return U[:, CARDINALITY]


def _fit_curve(score, targets, weights):
    return IsotonicRegression(out_of_bounds="clip").fit(score, targets, sample_weight=weights)
