"""The laboratory: published tables, a runner for them, and the studies behind the docs."""

from lab.cells import Cell, cells_of
from lab.pages.markdown import write_results
from lab.pages.status import Status, get_table, list_tables, status
from lab.pages.summary import summarize
from lab.protocol import (
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
from lab.runner import run_table
from lab.sources import Generated, Source, Stored, StoredTable
from lab.store import Store
from lab.table import Column, Method, Model, Published, Search, Table

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
    "get_table",
    "list_tables",
    "run_table",
    "status",
    "summarize",
    "write_results",
]
