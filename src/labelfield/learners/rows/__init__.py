"""Rows in blocks: where features, targets and weights lie, and sums over them."""

from labelfield.learners.rows.block import Block, Targets
from labelfield.learners.rows.convert import as_fit_rows, as_rows
from labelfield.learners.rows.memory import MemoryRows
from labelfield.learners.rows.rows import Rows, SourceRows, find_center
from labelfield.learners.rows.stream import StreamRows

__all__ = [
    "Block",
    "MemoryRows",
    "Rows",
    "SourceRows",
    "StreamRows",
    "Targets",
    "as_fit_rows",
    "as_rows",
    "find_center",
]
