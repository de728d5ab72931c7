"""No calibration: the score as it is."""

from labelfield.calibrate.calibrators.base import SCORE, SetCalibrator

__all__ = ["IdentitySetCalibrator"]


class IdentitySetCalibrator(SetCalibrator):
    """The model's own probability of the set, unchanged; the yardstick for the others.

    Examples
    --------
    >>> from labelfield import IdentitySetCalibrator
    >>> IdentitySetCalibrator().fit([[0.2], [0.9]], [0, 1]).predict([[0.4]])
    array([0.4])
    """

    def _fit(self, U, targets, weights, groups):
        pass

    def _predict(self, U):
        return U[:, SCORE]
