"""Many independent pieces of work, one after the other or in several processes."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from joblib import Parallel, delayed

__all__ = ["Progress", "run_all"]

Progress = Callable[[int, int, float], None]


def run_all(
    function: Callable[..., Any],
    pieces: Sequence[tuple],
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Any]:
    """Yield `function(*piece)` for every piece, as they finish.

    Parameters
    ----------
    function : callable
    pieces : sequence of argument tuples
    n_jobs : int, optional
        Processes at once; -1 for all cores. By default everything runs in this process.
    progress : callable, optional
        Called as `progress(done, total, seconds_left)` before the first and after each piece.

    Examples
    --------
    >>> from labelfield.evaluation.work import run_all
    >>> list(run_all(pow, [(2, 3), (2, 4)]))
    [8, 16]
    """
    started = time.monotonic()
    total = len(pieces)
    if progress is not None:
        progress(0, total, float("nan"))
    for done, result in enumerate(_results(function, pieces, n_jobs), start=1):
        if progress is not None:
            progress(done, total, (time.monotonic() - started) / done * (total - done))
        yield result


def _results(function: Callable[..., Any], pieces: Sequence[tuple], n_jobs: int | None) -> Iterable:
    if n_jobs in (None, 1) or len(pieces) < 2:
        return (function(*piece) for piece in pieces)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs")
    return parallel(delayed(function)(*piece) for piece in pieces)
