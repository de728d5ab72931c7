"""Limits on the CPU time and memory of a piece of work in this process."""

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

__all__ = ["OutOfTime", "at_most", "cap_memory", "describe_shortage", "describe_timeout"]

AGAIN = 1.0  # CPU seconds until work that has caught the signal is told once more
MEMORY_SHARE = 0.7  # of the machine: with more, the system would end some process, maybe another


class OutOfTime(BaseException):
    """Raised where the time of `at_most` is up; no `except Exception` stops it."""


@contextmanager
def at_most(seconds: float | None) -> Iterator[None]:
    """Raise `OutOfTime` inside the block after so many CPU seconds of this process.

    Loops of compiled code end first. The block may have 70 % of the machine's memory, and gets a
    MemoryError beyond, also where None sets no limit of time.

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
    memory = cap_memory()
    try:
        with nullcontext() if seconds is None else _alarm(seconds):
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, memory)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    before = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def cap_memory() -> tuple[int, int]:
    """Let this process have 70 % of the machine's memory; return the limits it had."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (_room(), before[1]))
    return before


def _room() -> int:
    return int(MEMORY_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def describe_timeout(seconds: float | None) -> dict[str, Any]:
    """Return what is stored of work that ran out of time.

    Examples
    --------
    >>> from lab.limits import describe_timeout
    >>> describe_timeout(600.0)
    {'unfinished': 'stopped after 600 CPU seconds', 'limit': 600.0}
    """
    return {"unfinished": f"stopped after {seconds:g} CPU seconds", "limit": seconds}


def describe_shortage(seconds: float | None) -> dict[str, Any]:
    """Return what is stored of work that ran out of memory, whatever the time."""
    need = f"it needs more than {_room() / 2**30:.0f} GiB of memory"
    return {"unfinished": need, "limit": seconds}


def _stop(number: int, frame: Any) -> None:
    raise OutOfTime
