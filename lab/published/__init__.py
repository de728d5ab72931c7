"""What the four documents print: every table and every figure with results; and our own tables."""

from lab.published import (
    cli2019_mixtures,
    cli2019_reranking,
    own_comparisons,
    own_sets,
    qli2017_fields,
    qli2017_restoration,
    tan2015,
    xli2015,
)
from lab.table import Table

__all__ = ["TABLES"]

MODULES = (
    qli2017_restoration,
    qli2017_fields,
    cli2019_mixtures,
    cli2019_reranking,
    xli2015,
    tan2015,
    own_sets,
    own_comparisons,
)
TABLES: dict[str, Table] = {table.id: table for module in MODULES for table in module.TABLES}
