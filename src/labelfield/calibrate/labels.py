"""Isotonic calibration of single labels."""

import numpy as np
from sklearn.isotonic import IsotonicRegression

from labelfield.joints import IndependentJoint

__all__ = ["LabelCurves"]

CLIP = 1e-6  # isotonic curves reach 0 and 1, and one such label would decide every set


class LabelCurves:
    """One isotonic curve per label: `apply` gives a product joint calibrated marginals."""

    def __init__(self, P, Y):
        self.curves = [_fit_curve(p, y) for p, y in zip(P.T, Y.T)]

    def transform(self, P):
        """Return calibrated probabilities (n, L)."""
        columns = [curve.predict(p) for curve, p in zip(self.curves, P.T)]
        return np.clip(np.stack(columns, axis=1), CLIP, 1.0 - CLIP)

    def apply(self, joint):
        """Return the product joint of the calibrated marginals."""
        return IndependentJoint.from_probabilities(self.transform(joint.marginals()))


def _fit_curve(p, y):
    return IsotonicRegression(out_of_bounds="clip").fit(p, y.astype(np.float64))
