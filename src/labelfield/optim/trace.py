"""The history of an iterative method."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

__all__ = ["Trace"]


@dataclass(frozen=True)
class Trace:
    """Objective per iteration (the start first) and why the method stopped.

    Examples
    --------
    >>> from labelfield.optim import Trace
    >>> Trace([3.0, 2.0, 1.5], "converged").n_iter
    2
    """

    objective: list[float]
    reason: Literal["converged", "max_iter"]

    @property
    def n_iter(self) -> int:
        """Number of iterations done."""
        return len(self.objective) - 1

    @classmethod
    def of_sum(cls, traces: Sequence[Self]) -> Self:
        """Return the trace of separate problems solved side by side: the sum of objectives."""
        length = max((len(trace.objective) for trace in traces), default=1)
        total = [0.0] * length
        for trace in traces:
            held = [trace.objective[-1]] * (length - len(trace.objective))
            total = [a + b for a, b in zip(total, trace.objective + held)]
        stopped = any(trace.reason == "max_iter" for trace in traces)
        return cls(total, "max_iter" if stopped else "converged")
