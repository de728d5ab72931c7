"""What solvers ask of a loss. Parameters are (p,), or (p, C) for C separate problems."""

from typing import Protocol, Self

from labelfield._typing import FloatArray, IntArray

__all__ = ["ColumnLoss", "Loss"]


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


class ColumnLoss(Loss, Protocol):
    """A loss of many problems that share their data, through a linear image of the parameters.

    A line search needs the image of the direction once and no further product with the data.
    Where there is a single problem (p, 1), its image may have any shape.
    """

    def take(self, columns: IntArray) -> Self:
        """Return the loss of the chosen problems only."""

    def image(self, x: FloatArray) -> FloatArray:
        """Return the scores, linear in the parameters: (p, C) -> (..., C)."""

    def evaluate(self, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the losses (C,), their derivatives by the scores and the curvatures (C, ...).

        The curvatures are what the metric of the solver makes of them.
        """

    def pull_back(self, derivative: FloatArray) -> FloatArray:
        """Return the gradient (p, C) of derivatives by the scores."""
