"""Published tables, a runner for them, and comparisons on your own data."""

from labelfield.experiments.comparison import compare_models
from labelfield.experiments.protocol import (
    CrossValidation,
    DirtyTest,
    FreshDraws,
    HiddenPositives,
    NoisyCalibration,
    Part,
    Protocol,
    RandomSplit,
    StandardSplit,
)
from labelfield.experiments.sources import Generated, Source, Stored, StoredTable
from labelfield.experiments.table import Column, Method, Model, Published, Search, Table

__all__ = [
    "Column",
    "CrossValidation",
    "DirtyTest",
    "FreshDraws",
    "Generated",
    "HiddenPositives",
    "Method",
    "Model",
    "NoisyCalibration",
    "Part",
    "Protocol",
    "Published",
    "RandomSplit",
    "Search",
    "Source",
    "StandardSplit",
    "Stored",
    "StoredTable",
    "Table",
    "compare_models",
]
