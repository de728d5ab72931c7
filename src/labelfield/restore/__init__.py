"""Restoring tables of numbers and categories: filling holes, correcting wrong cells."""

from labelfield.restore.data.corrupt import corrupt_table
from labelfield.restore.data.mixed_net import make_mixed_net
from labelfield.restore.data.mixed_table import MixedTable
from labelfield.restore.data.uci import load_mixed_table, read_uci_table
from labelfield.restore.explain import CellExplanation
from labelfield.restore.field import RandomMixedField
from labelfield.restore.forest import ForestImputer
from labelfield.restore.graph import MixedGraph
from labelfield.restore.inference.noise import Noise
from labelfield.restore.iterative import IterativeTableImputer
from labelfield.restore.knn import MixedKNNImputer
from labelfield.restore.mean_mode import MeanModeImputer
from labelfield.restore.net import MixedNet
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
    "MixedNet",
    "MixedTable",
    "Noise",
    "RandomMixedField",
    "RegularizedEMImputer",
    "Restoration",
    "TwoStageRestorer",
    "cell_scores",
    "corrupt_table",
    "load_mixed_table",
    "make_mixed_net",
    "read_uci_table",
]
