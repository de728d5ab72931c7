"""Runs the rows of the arena on data sets, one line a set, model and fold."""

import hashlib
import subprocess
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from lab.arena.features import encode
from lab.arena.folders import Cut, Entrant
from lab.arena.isolation import call_apart
from lab.arena.lines import Lines
from lab.arena.rows import OURS, Row
from lab.arena.tuning import measure_row
from labelfield._version import __version__

__all__ = ["Terms", "is_done", "key_of", "run_contest"]


@dataclass(frozen=True)
class Terms:
    """What a contest is fought under.

    Parameters
    ----------
    folds : int, optional
    seed : int
        Of the folds, the inner folds and the models.
    budget : str or float
        Of the row "ours".
    limit : float, optional
        CPU seconds for each model and fold.
    n_rows : int, optional
        At most so many training rows, drawn by the seed; the test rows stay.
    """

    folds: int | None = None
    seed: int = 0
    budget: str | float = "balanced"
    limit: float | None = 1800.0
    n_rows: int | None = None

    def cuts(self, entrant: Entrant) -> list[Cut]:
        """Return the cuts of a data set under these terms."""
        cuts = entrant.cuts(self.folds, self.seed)
        return [cut.shortened(self.n_rows, self.seed) for cut in cuts] if self.n_rows else cuts


def key_of(record: dict[str, Any]) -> tuple:
    """Return what tells one line from another."""
    names = ("set", "digest", "model", "protocol", "fold", "seed", "budget")
    return tuple(record.get(name) for name in names)


def is_done(record: dict[str, Any], limit: float | None, n_tried: int) -> bool:
    """Return whether a stored line need not be computed again.

    It must if there was an error, less time than now, or if another number of settings was tried.
    """
    if record.get("tried") != n_tried:
        return False
    if "unfinished" in record:
        return limit is not None and limit <= record["limit"]
    return "error" not in record


def run_contest(
    entrants: Iterable[Entrant],
    rows: Sequence[Row],
    lines: Lines,
    terms: Terms,
    *,
    told: Callable[[dict[str, Any]], None] = lambda record: None,
) -> int:
    """Append a line for every data set, row and fold that the file does not hold yet.

    Parameters
    ----------
    entrants : iterable of Entrant
    rows : sequence of Row
    lines : Lines
    terms : Terms
    told : callable, optional
        Called with every new line.

    Returns
    -------
    failed : int
        New lines with an error.
    """
    tried = {row.id: row.n_tried for row in rows}
    done = {
        key_of(record)
        for record in lines.read()
        if is_done(record, terms.limit, tried.get(record["model"], 0))
    }
    warm: set[tuple] = set()
    failed = 0
    for entrant in entrants:
        for row in rows:
            for cut in terms.cuts(entrant):
                record = _heading(entrant, row, cut, terms)
                if key_of(record) in done:
                    continue
                record |= _fight(entrant, row, cut, terms, warm)
                lines.append(record)
                told(record)
                failed += "error" in record
    return failed


def _heading(entrant: Entrant, row: Row, cut: Cut, terms: Terms) -> dict[str, Any]:
    data = entrant.data
    return {
        "set": data.name,
        "model": row.id,
        "protocol": cut.protocol,
        "fold": cut.fold,
        "seed": terms.seed,
        **({"budget": terms.budget} if row.id == OURS else {}),
        "tried": row.n_tried,
        "rows": [len(cut.train), len(cut.test)],
        "features": data.X.shape[1],
        "labels": data.Y.shape[1],
        "digest": hashlib.sha256(np.ascontiguousarray(data.Y).tobytes()).hexdigest()[:8],
        "version": __version__,
        "commit": _commit(),
    }


@cache
def _commit() -> str | None:
    """Return the commit that the laboratory runs from, marked where files were changed."""
    words = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None


def _fight(entrant: Entrant, row: Row, cut: Cut, terms: Terms, warm: set[tuple]) -> dict:
    reason = row.why_absent(len(cut.train))
    if reason:
        return {"absent": reason}
    kind = row.id, sp.issparse(entrant.data.X)
    if kind not in warm:  # whatever it says, the measured call will say it again
        call_apart(_warm_up, row, kind[1], limit=terms.limit)
        warm.add(kind)
    return call_apart(_measure, row, entrant, cut, terms.seed, limit=terms.limit)


def _warm_up(row: Row, sparse: bool) -> dict[str, Any]:
    """Fit a tiny problem, so that compiling kernels, which is done once, is not measured."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    Y = (X[:, :3] > 0).astype(np.uint8)
    X = sp.csr_matrix(X) if sparse else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        measure_row(replace(row, settings=row.settings[:1]), X, Y, X, Y, 0)
    return {}


def _measure(row: Row, entrant: Entrant, cut: Cut, seed: int) -> dict[str, Any]:
    data = entrant.data
    X, X_test = encode(data, cut.train, cut.test)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = measure_row(row, X, data.Y[cut.train], X_test, data.Y[cut.test], seed)
    said = sorted({one.category.__name__ for one in caught})
    return {**found, **({"warnings": said} if said else {})}
