"""Restoring tables of numbers and categories: filling holes, correcting wrong cells."""

from labelfield.restore.explain import CellExplanation
from labelfield.restore.field import RandomMixedField
from labelfield.restore.forest import ForestImputer
from labelfield.restore.graph import MixedGraph
from labelfield.restore.inference.noise import Noise
from labelfield.restore.iterative import IterativeTableImputer
from labelfield.restore.knn import MixedKNNImputer
from labelfield.restore.mean_mode import MeanModeImputer
from labelfield.restore.regularized_em import RegularizedEMImputer
from labelfield.restore.restoration import CellChange, Restoration
from labelfield.restore.scores import DownstreamAccuracy, cell_scores
from labelfield.restore.two_stage import TwoStageRestorer

__all__ = [
    "CellChange",
    "CellExplanation",
    "DownstreamAccuracy",
    "ForestImputer",
    "IterativeTableImputer",
    "MeanModeImputer",
    "MixedGraph",
    "MixedKNNImputer",
    "Noise",
    "RandomMixedField",
    "RegularizedEMImputer",
    "Restoration",
    "TwoStageRestorer",
    "cell_scores",
]
