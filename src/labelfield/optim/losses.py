"""What solvers ask of a loss. Parameters are (p,), or (p, C) for C separate problems."""

from typing import Any, NamedTuple, Protocol, Self

from labelfield._typing import FloatArray, IntArray

__all__ = ["ColumnLoss", "Loss", "Metric", "Terms", "Watch"]


class Loss(Protocol):
    """A smooth convex function; values are (C,) where the columns are separate problems.

    `rounding` is the share of a value that may be noise of the arithmetic.
    """

    rounding: float

    def value(self, x: FloatArray) -> FloatArray:
        """Return the loss: (p,) -> (), (p, C) -> (C,)."""

    def value_and_gradient(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the loss and its gradient, of the shape of x."""

    def lipschitz(self) -> float | FloatArray:
        """Return about the largest curvature, for the first step length: () or (C,)."""

    def scale(self) -> float | FloatArray:
        """Return the size of a large gradient, which tolerances are relative to: () or (C,)."""


class Terms(NamedTuple):
    """What a loss is at a point: losses (C,), gradient (p, C), curvatures (C, ...).

    The curvatures are what the metric of the solver makes of them.
    """

    value: FloatArray
    gradient: FloatArray
    curvature: FloatArray


class ColumnLoss(Loss, Protocol):
    """A loss of C separate problems that share their data: the sum over blocks of rows.

    `terms` goes over the data once, block by block, and keeps nothing of the size of the data. So a
    block may lie anywhere: in memory, on disk, on another machine or device.
    """

    def take(self, columns: IntArray) -> Self:
        """Return the loss of the chosen problems only."""

    def terms(self, x: FloatArray) -> Terms:
        """Return values, gradient and curvatures at x (p, C)."""


class Metric(Protocol):
    """Approximate inverse Hessians of the problems, where their L-BFGS recursions start.

    `curvature` is what the loss reported for these problems. Directions count, not lengths.
    """

    def take(self, columns: IntArray | slice) -> Self:
        """Return the metric of the chosen problems only."""

    def solve(self, rows: FloatArray, curvature: FloatArray) -> FloatArray:
        """Return the inverse Hessians times one vector per problem: (A, p) -> (A, p)."""

    def norms(self, rows: FloatArray, curvature: FloatArray) -> FloatArray:
        """Return the product of each vector with its image under `solve`: (A, p) -> (A,)."""


class Watch(Protocol):
    """Looks at a solver after every step, such as a file to go on from when the fit is killed."""

    def resume(self) -> dict[str, Any] | None:
        """Return the arrays that `step` got last, or None to begin."""

    def step(self, state: dict[str, Any]) -> None:
        """Get everything that the solver needs to go on: arrays by name."""
