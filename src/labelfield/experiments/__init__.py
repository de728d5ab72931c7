"""Published tables, a runner for them, and comparisons on your own data."""

from labelfield.experiments.cells import Cell, cells_of
from labelfield.experiments.comparison import compare_models
from labelfield.experiments.markdown import write_results
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
from labelfield.experiments.runner import run_table
from labelfield.experiments.sources import Generated, Source, Stored, StoredTable
from labelfield.experiments.status import Status, get_table, list_tables, status
from labelfield.experiments.store import Store
from labelfield.experiments.summary import summarize
from labelfield.experiments.table import Column, Method, Model, Published, Search, Table

__all__ = [
    "Cell",
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
    "Status",
    "Store",
    "Stored",
    "StoredTable",
    "Table",
    "cells_of",
    "compare_models",
    "get_table",
    "list_tables",
    "run_table",
    "status",
    "summarize",
    "write_results",
]
