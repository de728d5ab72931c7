"""The history of an iterative method."""

from dataclasses import dataclass
from typing import Literal

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
