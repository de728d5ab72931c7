"""Limited-memory BFGS for many problems of the same size, one row each, on a device.

All problems have their pairs in the same slots of a ring: steps and changes (A, m, p), newest last
in `slots`. A pair that a problem refused, or has forgotten, has inverse curvature 0 there and does
nothing.
"""

from collections.abc import Sequence
from typing import Any

from labelfield._namespaces import namespace

__all__ = ["finish_directions", "start_directions", "usable_curvature"]


def usable_curvature(step: Any, change: Any) -> Any:
    """Return 1 / (step . change) of each row (A, p), 0 where it is not safely positive: (A,)."""
    xp = namespace(step)
    curvature = xp.sum(step * change, axis=1)
    safe = curvature > 1e-14 * xp.sum(change * change, axis=1)
    return xp.where(safe, 1.0 / xp.where(safe, curvature, 1.0), 0.0)


def start_directions(
    steps: Any, changes: Any, inverse_curvature: Any, slots: Sequence[int], rows: Any
) -> tuple[Any, list[Any]]:
    """Run the first loop of the recursion on `rows` (A, p); return them and its weights."""
    xp, weights = namespace(rows), []
    for slot in reversed(slots):
        weight = inverse_curvature[:, slot] * xp.sum(steps[:, slot, :] * rows, axis=1)
        rows = rows - weight[:, None] * changes[:, slot, :]
        weights.append(weight)
    return rows, weights[::-1]


def finish_directions(
    steps: Any,
    changes: Any,
    inverse_curvature: Any,
    slots: Sequence[int],
    rows: Any,
    weights: list[Any],
) -> Any:
    """Run the second loop of the recursion on `rows` (A, p)."""
    xp = namespace(rows)
    for slot, weight in zip(slots, weights, strict=True):
        change = xp.sum(changes[:, slot, :] * rows, axis=1)
        weight = weight - inverse_curvature[:, slot] * change
        rows = rows + weight[:, None] * steps[:, slot, :]
    return rows
