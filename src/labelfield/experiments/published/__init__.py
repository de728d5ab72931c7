"""What the four documents print: every table and every figure with results; and our own tables."""

from labelfield.experiments.published import (
    fields_000,
    mixtures_002,
    own_sets,
    paper_003,
    paper_004,
    reranking_002,
    restoration_000,
)
from labelfield.experiments.table import Table

__all__ = ["TABLES"]

MODULES = (
    restoration_000,
    fields_000,
    mixtures_002,
    reranking_002,
    paper_003,
    paper_004,
    own_sets,
)
TABLES: dict[str, Table] = {table.id: table for module in MODULES for table in module.TABLES}
