"""Two numbers: for samples too small for curves."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from labelfield._parameters import declare
from labelfield.calibrate.calibrators.base import SCORE, SetCalibrator
from labelfield.calibrate.calibrators.losses import kl_derivatives, kl_loss

__all__ = ["SigmoidSetCalibrator"]

CLIP = 1e-6


class SigmoidSetCalibrator(SetCalibrator):
    """Platt scaling that starts from the raw score: logit c = slope * logit(score) + shift.

    Penalising the distance from slope 1 and shift 0 makes the raw score the answer of an empty
    sample, so that few rows change little.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty alpha / 2 [(slope - 1)^2 + shift^2] against the summed loss.

    Attributes
    ----------
    slope_, shift_ : float, float

    Examples
    --------
    >>> from labelfield import SigmoidSetCalibrator
    >>> calibrator = SigmoidSetCalibrator().fit([[0.9]] * 100, [1] * 50 + [0] * 50)
    >>> calibrator.predict([[0.9]]).round(2)
    array([0.5])
    """

    _parameter_constraints = declare("alpha")

    def __init__(self, *, alpha=1.0):
        self.alpha = alpha

    def _fit(self, U, targets, weights, groups):
        z = _log_odds(U)

        def objective(parameters):
            slope, shift = parameters
            fitted = slope * z + shift
            gradient = weights * kl_derivatives(fitted, targets)[0]
            away = parameters - (1.0, 0.0)
            value = weights @ kl_loss(fitted, targets) + self.alpha / 2.0 * (away @ away)
            return value, np.array([gradient @ z, gradient.sum()]) + self.alpha * away

        start = np.array([1.0, 0.0])
        found = minimize(objective, start, jac=True, bounds=[(0.0, None), (None, None)])
        self.slope_, self.shift_ = found.x.tolist()

    def _predict(self, U):
        return expit(self.slope_ * _log_odds(U) + self.shift_)


def _log_odds(U):
    return logit(np.clip(U[:, SCORE], CLIP, 1.0 - CLIP))
