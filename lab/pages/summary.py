"""Ours beside the published figures: means, marks, paired tests and ranks."""

from typing import Any

import numpy as np

from lab.cells import cells_of, row_cells
from lab.headings import HEADINGS
from lab.pages.ends import at_ends
from lab.pages.progress import tally
from lab.pages.status import status
from lab.provenance import code_commit
from lab.runner import is_finished
from lab.store import Store
from lab.table import Column, Method, Published, Table
from labelfield.evaluation.answers import OWN
from labelfield.evaluation.statistics import (
    average_ranks,
    critical_difference,
    friedman_p,
    paired_t_p,
    wilcoxon_p,
)

__all__ = ["LEVEL", "mark", "rank_rows", "summarize"]

LEVEL = 0.05
COSTS = ("fit_seconds", "predict_seconds")


def mark(
    ours: float,
    published: Published,
    *,
    greater_is_better: bool | None,
    digits: int,
    own_deviation: float | None = None,
) -> str | None:
    """Judge a figure of ours against a published one.

    Parameters
    ----------
    ours : float
    published : Published
    greater_is_better : bool or None
    digits : int
        Decimals of the print: a difference that rounding hides is none.
    own_deviation : float, optional
        Used where the document prints no deviation.

    Returns
    -------
    "within" one deviation, "better", "worse", or None where there is nothing to judge.

    Examples
    --------
    >>> from lab import Published
    >>> from lab.pages.summary import mark
    >>> mark(0.090, Published(0.095, 0.007), greater_is_better=False, digits=3)
    'within'
    >>> mark(0.080, Published(0.095, 0.007), greater_is_better=False, digits=3)
    'better'
    """
    if published.mean is None or greater_is_better is None:
        return None
    deviation = published.deviation if published.deviation is not None else own_deviation
    tolerance = max(deviation or 0.0, 0.5 * 10.0**-digits)
    gain = ours - published.mean if greater_is_better else published.mean - ours
    if abs(gain) <= tolerance * (1 + 1e-9):
        return "within"
    return "better" if gain > 0 else "worse"


def summarize(table: Table, store: Store) -> dict[str, Any]:
    """Return everything there is to show about a table, as plain data.

    Parameters
    ----------
    table : Table
    store : Store

    Returns
    -------
    dict
        "id", "title", "status", "notes", "metrics" (name and title), "digits", "along", "columns":
        for each column its "title", "note", "comparable", "rows" and "tests"; "ranks" over the
        columns.
        A row has "title", "cells" (finished of how many), "errors", "unfinished" (what stopped
        cells), "at_ends" (strengths chosen at the end of their grid) and "figures": per metric
        "ours" (mean, deviation, values by repetition), "published" (mean, deviation) and "mark".
        A test says whether the reference row is "superior" or "inferior" to a row, or the "same".
    """
    columns = [_summarize_column(table, column, store) for column in table.columns]
    return {
        "id": table.id,
        "document": table.document,
        "title": table.title,
        "status": _status(table, store),
        "made": _made(table, store),
        "notes": list(table.notes),
        "metrics": [{"name": name, "title": HEADINGS[name].title} for name in table.metrics],
        "digits": table.digits,
        "reference": table.reference,
        "along": table.along,
        "columns": columns,
        "ranks": _ranks(table, columns),
    }


def _status(table: Table, store: Store) -> str:
    """Return how many cells are done, and what cannot be."""
    found = status(table)
    if not found.runnable:
        return str(found)
    lacks = "; ".join(filter(None, [", ".join(found.waiting_for), found.reason]))
    return f"{tally(table, store)}; lacks {lacks}" if lacks else str(tally(table, store))


def _made(table: Table, store: Store) -> str:
    """Return when, by which version and where the cells were computed, and the commit of today."""
    records = [record for cell in cells_of(table) if (record := store.read(cell.key)) is not None]
    if not records:
        return ""
    days = sorted(record["date"] for record in records)
    span = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    versions = ", ".join(sorted({record["version"] for record in records}))
    machines = "; ".join(sorted({record["machine"] for record in records}))
    commit = code_commit()
    today = f"; the code is now that of commit {commit}" if commit else ""
    return f"computed {span} by version {versions} on {machines}{today}"


def _summarize_column(table: Table, column: Column, store: Store) -> dict[str, Any]:
    rows = [_summarize_row(table, column, method, store) for method in table.methods]
    return {
        "title": column.title,
        "note": column.note,
        "comparable": column.comparable,
        "rows": rows,
        "tests": _paired_tests(table, rows),
    }


def _summarize_row(table: Table, column: Column, method: Method, store: Store) -> dict[str, Any]:
    cells = row_cells(table, column, method)
    records = [record for cell in cells if (record := store.read(cell.key)) is not None]
    finished = [record for record in records if is_finished(record)]
    figures = {}
    for metric in table.metrics:
        values = {
            record["repetition"]: _unit(table, metric) * _figure(record, method, metric)
            for record in finished
        }
        ours = _ours(values)
        published = table.published.get((column.title, method.title, metric))
        judged = None
        if ours is not None and published is not None:
            judged = _judge(table, column, metric, ours, published)
        figures[metric] = {
            "ours": ours,
            "published": None
            if published is None
            else {"mean": published.mean, "deviation": published.deviation},
            "mark": judged,
        }
    return {
        "title": method.title,
        "computed": method.model is not None,
        "cells": [len(finished), len(cells)],
        "errors": sorted({record["error"] for record in records if "error" in record}),
        "unfinished": sorted({one["unfinished"] for one in records if "unfinished" in one}),
        "at_ends": at_ends(method.search, [one["chosen"] for one in finished if "chosen" in one]),
        "figures": figures,
    }


def _unit(table: Table, metric: str) -> float:
    return 1.0 if metric in COSTS else table.unit


def _figure(record: dict[str, Any], method: Method, metric: str) -> float:
    if metric in COSTS:
        return record[metric]
    return record["figures"][method.decoder or OWN][metric]


def _ours(values: dict[int, float]) -> dict[str, Any] | None:
    """Return mean and deviation of values by repetition."""
    if not values:
        return None
    numbers = np.array(list(values.values()))
    deviation = float(numbers.std(ddof=1)) if len(numbers) > 1 else None
    return {"mean": float(numbers.mean()), "deviation": deviation, "values": values}


def _judge(
    table: Table, column: Column, metric: str, ours: dict[str, Any], published: Published
) -> str | None:
    if not column.comparable:
        return "not comparable"
    return mark(
        ours["mean"],
        published,
        greater_is_better=HEADINGS[metric].greater_is_better,
        digits=table.digits,
        own_deviation=ours["deviation"],
    )


def _paired_tests(table: Table, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Compare the reference row with each other row over the repetitions both have finished."""
    by_title = {row["title"]: row for row in rows}
    tests = []
    for metric in table.metrics if table.reference else ():
        direction = HEADINGS[metric].greater_is_better
        for title, row in by_title.items():
            if title == table.reference or direction is None:
                continue
            pairs = _pairs(by_title[table.reference]["figures"][metric], row["figures"][metric])
            if len(pairs) > 1:
                tests.append({"metric": metric, "row": title, **_paired_test(*pairs.T, direction)})
    return tests


def _pairs(first: dict[str, Any], second: dict[str, Any]) -> np.ndarray:
    """Return the values (n, 2) of the repetitions that both figures have."""
    if first["ours"] is None or second["ours"] is None:
        return np.empty((0, 2))
    one, two = first["ours"]["values"], second["ours"]["values"]
    return np.array([(one[key], two[key]) for key in one if key in two]).reshape(-1, 2)


def _paired_test(reference: np.ndarray, other: np.ndarray, greater_is_better: bool) -> dict:
    p = paired_t_p(reference, other)
    ahead = (reference.mean() > other.mean()) == greater_is_better
    return {
        "t_p": p,
        "wilcoxon_p": wilcoxon_p(reference, other),
        "verdict": "same" if p >= LEVEL else "superior" if ahead else "inferior",
    }


def _complete_part(means: list[dict[str, float]]) -> tuple[list[str], list[dict[str, float]]]:
    """Return rows and columns without a gap: all rows in the full columns, if there are two."""
    titles = list(dict.fromkeys(title for found in means for title in found))
    full = [found for found in means if len(found) == len(titles)]
    if len(full) > 1:
        return titles, full
    return [title for title in titles if all(title in found for found in means)], means


def rank_rows(
    titles: list[str], means: list[dict[str, float]], *, greater_is_better: bool
) -> dict[str, Any] | None:
    """Rank rows over columns in which all of them have a mean; None where there are too few.

    Parameters
    ----------
    titles : list of str
        The rows.
    means : list of dict of title to float
        A dict per column.
    greater_is_better : bool

    Examples
    --------
    >>> from lab.pages.summary import rank_rows
    >>> rank_rows(["a", "b"], [{"a": 1.0, "b": 2.0}] * 2, greater_is_better=True)["average"]
    {'a': 2.0, 'b': 1.0}
    """
    if len(titles) < 2 or len(means) < 2:
        return None
    scores = np.array([[found[title] for title in titles] for found in means])
    average = average_ranks(scores, greater_is_better=greater_is_better)
    return {
        "average": dict(zip(titles, average.tolist())),
        "columns": len(means),
        "friedman_p": friedman_p(scores),
        "critical_difference": critical_difference(len(titles), len(means)),
    }


def _ranks(table: Table, columns: list[dict[str, Any]]) -> dict[str, Any]:
    """Rank the computed rows over the columns where all of them are finished.

    Where there are fewer than two such columns, the rows that are finished in all columns.
    """
    ranks = {}
    for metric in table.metrics:
        direction = HEADINGS[metric].greater_is_better
        means = [
            {
                row["title"]: row["figures"][metric]["ours"]["mean"]
                for row in column["rows"]
                if row["figures"][metric]["ours"] is not None
            }
            for column in columns
        ]
        means = [found for found in means if found]
        if direction is None or len(means) < 2:
            continue
        ranked = rank_rows(*_complete_part(means), greater_is_better=direction)
        if ranked is not None:
            ranks[metric] = ranked
    return ranks
