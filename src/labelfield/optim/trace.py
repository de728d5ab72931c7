"""The history of an iterative method."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from sklearn.exceptions import ConvergenceWarning

__all__ = ["Trace", "warn_unless_converged"]


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
            padding = [trace.objective[-1]] * (length - len(trace.objective))
            total = [a + b for a, b in zip(total, trace.objective + padding)]
        stopped = any(trace.reason == "max_iter" for trace in traces)
        return cls(total, "max_iter" if stopped else "converged")


def warn_unless_converged(model: Any, reason: str = "", stacklevel: int = 4) -> None:
    """Give a ConvergenceWarning if the `trace_` of a model says that it ran out of iterations.

    The message names the model's `tol`, `max_iter` and `alpha`, and a further reason if there is
    one.

    Examples
    --------
    >>> from labelfield import BinaryRelevance
    >>> from labelfield.optim import Trace, warn_unless_converged
    >>> model = BinaryRelevance()
    >>> model.trace_ = Trace([2.0, 1.0], "converged")
    >>> warn_unless_converged(model)
    """
    if model.trace_.reason == "max_iter":
        warnings.warn(
            f"{type(model).__name__} did not reach tol={model.tol} within "
            f"max_iter={model.max_iter} iterations; raise either, scale the features, or raise "
            f"alpha={getattr(model, 'alpha_', model.alpha)}.{reason}",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )
