"""CPU seconds, of this process and of those it has waited for."""

import os

__all__ = ["Stopwatch"]


class Stopwatch:
    """Laps in CPU seconds.

    Examples
    --------
    >>> from lab.arena.timing import Stopwatch
    >>> Stopwatch().lap() < 1.0
    True
    """

    def __init__(self):
        self.last = _cpu_seconds()

    def lap(self) -> float:
        """Return the seconds since the last lap."""
        now = _cpu_seconds()
        self.last, passed = now, now - self.last
        return round(passed, 3)


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
