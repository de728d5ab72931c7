"""Cells: the smallest pieces of a table, each computed and stored on its own."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from lab.building import is_known, is_random
from lab.measures import SCORE_METRICS
from lab.protocol import Protocol
from lab.sources import Source
from lab.table import Column, Method, Model, Search, Table
from labelfield.evaluation.answers import OWN

__all__ = ["Cell", "by_cut", "cells_of", "row_cells"]


@dataclass(frozen=True)
class Cell:
    """One model, fitted once: what is computed depends on nothing else, in whichever table.

    Attributes
    ----------
    task : str
    source, protocol : Source, Protocol
    repetition : int
        Which cut of the data, and the seed of the model.
    model : Model
    scale, search : str or None, Search or None
    decoders : tuple of str
        The decisions that are measured.
    score_metrics : tuple of str
        Measures of label scores that are wanted beside those of sets.
    """

    task: str
    source: Source
    protocol: Protocol
    repetition: int
    model: Model
    scale: str | None = None
    search: Search | None = None
    decoders: tuple[str, ...] = (OWN,)
    score_metrics: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Return all that the cells of a row have in common, as plain data."""
        return {
            "task": self.task,
            "data": self.source.describe(),
            **self.protocol.describe(),
            "model": self.model.describe(),
            "scale": self.scale,
            "search": None if self.search is None else asdict(self.search),
            "decoders": list(self.decoders),
            "score_metrics": list(self.score_metrics),
        }

    @cached_property
    def key(self) -> str:
        """A readable name with a hash of the description, and the repetition."""
        text = json.dumps(self.describe(), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        id = self.model.id.rpartition(".")[2]
        return f"{self.source.title}/{id}-{digest}-{self.repetition}"


def row_cells(table: Table, column: Column, method: Method) -> list[Cell]:
    """Return the cells of a row in a column; rows with one fit in common share them."""
    if column.source is None or method.model is None or not _computable(method):
        return []
    protocol = table.protocol_of(column)
    model = _model(method, column)
    same_fit = [
        other
        for other in table.methods
        if other.model is not None
        and (_model(other, column), other.scale, other.search)
        == (model, method.scale, method.search)
    ]
    decoders = tuple(sorted({other.decoder or OWN for other in same_fit}))
    once = protocol.only_seeds and (not is_random(model) or "random_state" in model.parameters)
    return [
        Cell(
            table.task,
            column.source,
            protocol,
            repetition,
            model,
            method.scale,
            method.search,
            decoders,
            tuple(metric for metric in SCORE_METRICS if metric in table.metrics),
        )
        for repetition in range(1 if once else protocol.repetitions)
    ]


def _computable(method: Method) -> bool:
    return all(is_known(id) for id in method.model.ids())


def _model(method: Method, column: Column) -> Model:
    """Return the row's model; a search must know the decision that it is to serve."""
    model = method.model_for(column)
    if method.search is None or method.decoder is None:
        return model
    return Model(model.id, {**model.parameters, "decoder": method.decoder})


def cells_of(
    table: Table,
    *,
    columns: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
) -> list[Cell]:
    """Return every cell of a table that can be computed, or those of some columns and rows.

    Parameters
    ----------
    table : Table
    columns, methods : sequences of titles, optional
    """
    chosen_columns = _choose(table.columns, columns, f"column of table {table.id}")
    chosen_methods = _choose(table.methods, methods, f"row of table {table.id}")
    return by_cut(
        cell
        for column in chosen_columns
        for method in chosen_methods
        for cell in row_cells(table, column, method)
    )


def by_cut(cells: Iterable[Cell]) -> list[Cell]:
    """Return each cell once, those of one cut of the data after each other.

    Cells of one cut may share fits, see `lab.shared_fits`.
    """
    cuts: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        cut = repr((cell.source, cell.protocol, cell.repetition))
        cuts.setdefault(cut, {})[cell.key] = cell
    return [cell for same in cuts.values() for cell in same.values()]


def _choose(items: Sequence[Any], titles: Sequence[str] | None, what: str) -> list[Any]:
    if titles is None:
        return list(items)
    known = {item.title: item for item in items}
    for title in titles:
        if title not in known:
            raise ValueError(f"No {what} is called {title!r}; there are {', '.join(known)}.")
    return [known[title] for title in titles]
