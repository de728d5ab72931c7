"""Confidence of predicted label sets: calibrators, wrappers, routing, noisy annotations."""

from labelfield.calibrate.auto import AutoSetCalibrator
from labelfield.calibrate.base import SetCalibrator
from labelfield.calibrate.boosted import BoostedSetCalibrator
from labelfield.calibrate.classifier import CalibratedSetClassifier
from labelfield.calibrate.estimators import PrecomputedProbabilities
from labelfield.calibrate.identity import IdentitySetCalibrator
from labelfield.calibrate.isotonic import IsotonicSetCalibrator
from labelfield.calibrate.noise import NoiseRates
from labelfield.calibrate.reranker import SetReranker
from labelfield.calibrate.routing import Route, acceptance_threshold
from labelfield.calibrate.sigmoid import SigmoidSetCalibrator
from labelfield.calibrate.tree import TreeSetCalibrator

__all__ = [
    "AutoSetCalibrator",
    "BoostedSetCalibrator",
    "CalibratedSetClassifier",
    "IdentitySetCalibrator",
    "IsotonicSetCalibrator",
    "NoiseRates",
    "PrecomputedProbabilities",
    "Route",
    "SetCalibrator",
    "SetReranker",
    "SigmoidSetCalibrator",
    "TreeSetCalibrator",
    "acceptance_threshold",
]
