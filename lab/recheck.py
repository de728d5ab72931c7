"""python -m lab recheck: compute stored cells once more and compare them."""

from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from labelfield.cli import console
from labelfield.cli.exits import FAILED

__all__ = ["compare", "recheck"]

REMARKS = ("other code", "other choice", "not converged")


def recheck(
    count: Annotated[
        int,
        typer.Option(
            "--cells", min=1, help="How many, drawn at random, of every data set in turn."
        ),
    ] = 10,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    longest: Annotated[
        float, typer.Option(min=0.0, help="Only cells that took at most so many CPU seconds.")
    ] = 60.0,
    results: Annotated[Path | None, typer.Option(help="Folder of finished cells.")] = None,
    as_json: console.JsonFlag = False,
):
    """Compute stored cells of the tables once more, and tell where a printed digit differs.

    Run it on another machine, or with other kernels of the matrix library, to see what hangs on
    either. Beside printed steps stands the difference in standard deviations over the repetitions.

    `OPENBLAS_CORETYPE=Prescott python -m lab recheck --cells 10`
    """
    from lab import Store

    store = Store() if results is None else Store(results)
    drawn = _draw(_stored(store, longest), count, seed)
    rows = []
    with console.progress("recheck", silent=as_json) as progress:
        for done, (cell, wanted) in enumerate(drawn):
            progress(done, len(drawn), float("nan"))
            rows.append(_again(cell, wanted, store))
    _show(rows, as_json=as_json)
    if not all(row["agrees"] for row in rows):
        raise typer.Exit(FAILED)


def _stored(store, longest: float) -> list[tuple[Any, dict[str, float]]]:
    """Return finished cells, each with the coarsest step of its measures that a table prints."""
    from lab.cells import cells_of
    from lab.published import TABLES
    from lab.runner import is_finished

    found: dict[str, tuple[Any, dict[str, float]]] = {}
    for table in TABLES.values():
        steps = dict.fromkeys(table.metrics, 10.0 ** (-table.digits) / table.unit)
        for cell in cells_of(table):
            record = store.read(cell.key)
            ready = is_finished(record) and not cell.source.missing()
            if ready and record["seconds"] <= longest:
                _, wanted = found.setdefault(cell.key, (cell, {}))
                wanted.update(
                    {name: max(step, wanted.get(name, 0.0)) for name, step in steps.items()}
                )
    return list(found.values())


def _draw(cells: list, count: int, seed: int) -> list:
    """Return some cells, one of each data set before a second of any."""
    if not cells:
        raise ValueError(
            "no stored cell can be computed here; see `python -m lab reproduce --list`."
        )
    by_data: dict[str, list] = {}
    for k in np.random.default_rng(seed).permutation(len(cells)):
        by_data.setdefault(cells[k][0].source.title, []).append(cells[k])
    turns = zip_longest(*by_data.values())
    return [cell for turn in turns for cell in turn if cell is not None][:count]


def _again(cell, wanted: dict[str, float], store) -> dict[str, Any]:
    """Return how far a second run of a cell is from its record, and what may be why."""
    from lab.provenance import made_now
    from lab.runner import compute, is_stale

    record, again = store.read(cell.key), compute(cell)
    differences = compare(record["figures"], again["figures"], wanted)
    return {
        "cell": cell.key,
        "figures": len(differences),
        "largest": max(differences, default=0.0),
        "deviations": _deviations(cell, record["figures"], again["figures"], wanted, store),
        "agrees": all(difference <= 0.5 for difference in differences),
        "other code": is_stale(cell, record),
        "other choice": record.get("chosen") != again.get("chosen"),
        "not converged": any("ConvergenceWarning" in one for one in record["warnings"]),
        "machine": record["machine"],
        "now": made_now(cell)["machine"],
    }


def _deviations(cell, stored: dict, again: dict, names, store) -> float | None:
    """Return the largest difference in standard deviations over the stored repetitions, if any."""
    from lab.runner import is_finished

    kept = [store.read(replace(cell, repetition=k).key) for k in range(cell.protocol.repetitions)]
    rows = [one["figures"] for one in kept if is_finished(one)]
    found = []
    for decision, figures in stored.items():
        for name in set(names) & set(figures):
            values = [row[decision][name] for row in rows]
            if figures[name] is not None and None not in values and np.ptp(values) > 0:
                difference = abs(again[decision][name] - figures[name])
                found.append(difference / np.std(values, ddof=1))
    return float(max(found)) if found else None


def compare(stored: dict, again: dict, steps: dict[str, float]) -> list[float]:
    """Return the differences of all figures of a cell, in steps of the last printed digit.

    Seconds are not compared.

    Examples
    --------
    >>> from lab.recheck import compare
    >>> stored, again = {"own": {"f1": 0.71234}}, {"own": {"f1": 0.71264}}
    >>> [round(difference, 3) for difference in compare(stored, again, {"f1": 0.001})]
    [0.3]
    """
    return [
        abs(again[decision][name] - value) / steps[name]
        for decision, figures in stored.items()
        for name, value in figures.items()
        if name in steps and value is not None
    ]


def _show(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        console.print_json({"cells": rows})
        return
    heading = [
        "cell",
        "figures",
        "largest difference in printed steps",
        "in deviations",
        "agrees",
        "made on",
    ]
    lines = [
        (
            row["cell"],
            str(row["figures"]),
            f"{row['largest']:.3g}",
            "-" if row["deviations"] is None else f"{row['deviations']:.2g}",
            ", ".join(["yes" if row["agrees"] else "NO", *filter(row.get, REMARKS)]),
            row["machine"],
        )
        for row in rows
    ]
    console.print_table(heading, lines, text_columns=1)
    told = sum(row["agrees"] for row in rows)
    console.note(f"{told} of {len(rows)} cells agree. Compared on {rows[0]['now']}.")
