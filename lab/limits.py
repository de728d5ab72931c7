"""A limit on the CPU time of a piece of work in this process."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["OutOfTime", "at_most", "describe_limit"]

AGAIN = 1.0  # CPU seconds until work that has caught the signal is told once more


class OutOfTime(BaseException):
    """Raised where the time of `at_most` is up; no `except Exception` stops it."""


@contextmanager
def at_most(seconds: float | None) -> Iterator[None]:
    """Raise `OutOfTime` inside the block after so many CPU seconds of this process.

    Loops of compiled code end first. None sets no limit.

    Parameters
    ----------
    seconds : float or None

    Examples
    --------
    >>> from lab.limits import OutOfTime, at_most
    >>> try:
    ...     with at_most(0.01):
    ...         while True:
    ...             pass
    ... except OutOfTime:
    ...     print("stopped")
    stopped
    """
    if seconds is None:
        yield
        return
    before = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def describe_limit(seconds: float | None) -> dict[str, Any]:
    """Return what is stored of work that was stopped.

    Examples
    --------
    >>> from lab.limits import describe_limit
    >>> describe_limit(600.0)
    {'unfinished': 'stopped after 600 CPU seconds', 'limit': 600.0}
    """
    return {"unfinished": f"stopped after {seconds:g} CPU seconds", "limit": seconds}


def _stop(number: int, frame: Any) -> None:
    raise OutOfTime
