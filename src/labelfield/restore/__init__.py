"""Restoring tables of numbers and categories: filling holes, correcting wrong cells."""

from labelfield.restore.data.corrupt import corrupt_table
from labelfield.restore.data.mixed_net import make_mixed_net
from labelfield.restore.data.mixed_table import MixedTable
from labelfield.restore.data.scores import cell_scores
from labelfield.restore.data.uci import load_mixed_table, read_uci_table
from labelfield.restore.explain import CellExplanation
from labelfield.restore.field import RandomMixedField
from labelfield.restore.graph import MixedGraph
from labelfield.restore.inference.noise import Noise
from labelfield.restore.net import MixedNet
from labelfield.restore.restoration import CellChange, Restoration

__all__ = [
    "CellChange",
    "CellExplanation",
    "MixedGraph",
    "MixedNet",
    "MixedTable",
    "Noise",
    "RandomMixedField",
    "Restoration",
    "cell_scores",
    "corrupt_table",
    "load_mixed_table",
    "make_mixed_net",
    "read_uci_table",
]
