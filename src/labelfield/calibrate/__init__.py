"""Confidence of predicted label sets: calibrators, wrappers, routing, noisy annotations."""

from labelfield.calibrate.calibrators.auto import AutoSetCalibrator
from labelfield.calibrate.calibrators.base import SetCalibrator
from labelfield.calibrate.calibrators.boosted import BoostedSetCalibrator
from labelfield.calibrate.calibrators.identity import IdentitySetCalibrator
from labelfield.calibrate.calibrators.isotonic import IsotonicSetCalibrator
from labelfield.calibrate.calibrators.sigmoid import SigmoidSetCalibrator
from labelfield.calibrate.calibrators.tree import TreeSetCalibrator
from labelfield.calibrate.classifier import CalibratedSetClassifier
from labelfield.calibrate.confidence import Route, SetConfidenceMixin
from labelfield.calibrate.estimators import PrecomputedProbabilities
from labelfield.calibrate.noise import NoiseRates
from labelfield.calibrate.reranker import SetReranker
from labelfield.calibrate.taggers import TaggerColumns, TaggerScores

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
    "SetConfidenceMixin",
    "SetReranker",
    "SigmoidSetCalibrator",
    "TaggerColumns",
    "TaggerScores",
    "TreeSetCalibrator",
]
