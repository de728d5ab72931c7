"""Joints of tensors: what they do on their device, and what in main memory."""

from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np

from labelfield._namespaces import (
    HOST,
    Place,
    as_float,
    chosen_rows,
    is_tensor,
    namespace,
    place_of,
    to_host,
)
from labelfield._typing import BoolArray, IntArray

__all__ = ["Placed", "on_host"]

Method = TypeVar("Method", bound=Callable[..., object])


def on_host(method: Method) -> Method:
    """Let a joint of tensors answer by a copy in main memory; the answer goes to its device.

    For searches whose steps hang on each other, which a device does not do faster.
    """

    @wraps(method)
    def anywhere(joint: "Placed", *args: Any, **options: Any) -> object:
        if not joint.on_device:
            return method(joint, *args, **options)
        arrays = [to_host(arg) for arg in args]
        return _sent(method(joint.to_host(), *arrays, **options), joint)

    return cast(Method, anywhere)


class Placed:
    """A batch of rows whose numbers live somewhere: in main memory or on a device."""

    n_labels: int
    follows_device = False  # whether its numbers may be tensors
    _row_arrays: ClassVar[tuple[str, ...]]  # attributes with one entry per row of the batch

    def __len__(self) -> int:
        """Return the number of rows n."""
        n_rows: int = self._numbers.shape[0]
        return n_rows

    def take(self, rows: slice | IntArray | BoolArray) -> Self:
        """Return the joint of the chosen rows."""
        chosen = copy(self)
        for name in self._row_arrays:
            setattr(chosen, name, chosen_rows(getattr(self, name), rows))
        return chosen

    @property
    def place(self) -> Place:
        """The array library and the device of the numbers; answers are arrays of it."""
        return place_of(self._numbers)

    @property
    def on_device(self) -> bool:
        """Whether the numbers are tensors of another library than numpy."""
        return is_tensor(self._numbers)

    @property
    def float_type(self) -> Any:
        """The type of probabilities: float64, or that of the tensors."""
        return self._numbers.dtype if self.on_device else np.float64

    @property
    def _numbers(self) -> Any:
        """An array with one entry per row, None where there is none."""
        return getattr(self, self._row_arrays[0]) if self._row_arrays else None

    def to(self, place: Place) -> Self:
        """Return the joint with its numbers in another place."""
        moved = copy(self)
        for name in self._row_arrays:
            setattr(moved, name, place.asarray(getattr(self, name)))
        return moved

    def to_host(self) -> Self:
        """Return the joint with its numbers in main memory, in double precision."""
        if not self.on_device:
            return self
        moved = self.to(HOST)
        for name in self._row_arrays:
            setattr(moved, name, as_float(getattr(moved, name)))
        return moved

    def _empty(self, shape: tuple[int, ...]) -> Any:
        """Return room for answers."""
        xp, device = self.place
        return xp.empty(shape, dtype=self.float_type, device=device)

    def constant(self, value: float, dtype: str | None = None) -> Any:
        """Return the same number for every row, of the joint's own type by default: (n,)."""
        xp, device = self.place
        kind = self.float_type if dtype is None else getattr(xp, dtype)
        return xp.full((len(self),), value, dtype=kind, device=device)


def _sent(answer: Any, joint: "Placed") -> Any:
    """Return an answer where the joint is: an array, a joint, or a tuple of them."""
    if isinstance(answer, tuple):
        parts = [_sent(part, joint) for part in answer]
        return type(answer)(*parts) if hasattr(answer, "_fields") else tuple(parts)
    if not hasattr(answer, "dtype"):
        return answer.to(joint.place) if getattr(answer, "follows_device", False) else answer
    sent = joint.place.asarray(answer)
    xp = namespace(sent)
    floating = xp.isdtype(sent.dtype, "real floating")
    return xp.astype(sent, joint.float_type) if floating else sent
