"""Arrays of other libraries (torch, CuPy): their namespace, their device, ways there and back.

Code that should run on them asks `namespace(x)` for the functions of the array API standard and
makes new arrays by `place_of(x)`. Arrays of numpy give numpy's own: there is one code for all.
"""

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.externals import array_api_compat

__all__ = [
    "HOST",
    "Place",
    "as_float",
    "chosen_columns",
    "chosen_rows",
    "contiguous",
    "csr_tensor",
    "is_sparse_tensor",
    "is_tensor",
    "namespace",
    "place_of",
    "put_rows",
    "row_dots",
    "row_numbers",
    "to_host",
]

_NAMESPACES: dict[type, Any] = {}  # None for types without one
DEVICE_SHARE = 1 / 16  # of the free memory, for one block of rows


def is_tensor(x: Any) -> bool:
    """Return whether `x` is an array of another library than numpy."""
    kind = type(x)
    if kind not in _NAMESPACES:  # solvers ask many times a step
        foreign = not isinstance(x, (np.ndarray, np.generic, type))  # a class is no array
        foreign = foreign and array_api_compat.is_array_api_obj(x)
        _NAMESPACES[kind] = array_api_compat.array_namespace(x) if foreign else None
    return _NAMESPACES[kind] is not None


def namespace(x: Any) -> Any:
    """Return the array API namespace of an array, numpy's for everything that has none."""
    return _NAMESPACES[type(x)] if is_tensor(x) else array_api_compat.numpy


class Place(NamedTuple):
    """Where an array lives: its namespace and device."""

    xp: Any
    device: Any

    def __str__(self) -> str:
        library = self.xp.__name__.rpartition("array_api_compat.")[2].partition(".")[0]
        return library if library == "numpy" else f"{library} on {self.device}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.xp.__name__, self.device)  # modules cannot be pickled

    def asarray(self, values: Any, dtype: str | None = None) -> Any:
        """Return values as an array of this place; dtype such as "float64"."""
        kind = None if dtype is None else getattr(self.xp, dtype)
        if is_tensor(values) and namespace(values) is not self.xp:
            values = to_host(values)
        if isinstance(values, np.ndarray) and not values.flags.writeable:
            values = values.copy()  # torch warns of arrays it must not write to
        return self.xp.asarray(values, dtype=kind, device=self.device)

    def empty(self, shape: tuple[int, ...], dtype: str) -> Any:
        """Return an array of this place without values."""
        return self.xp.empty(shape, dtype=getattr(self.xp, dtype), device=self.device)

    def zeros(self, shape: tuple[int, ...], dtype: str) -> Any:
        """Return an array of zeros of this place."""
        return self.xp.zeros(shape, dtype=getattr(self.xp, dtype), device=self.device)

    def arange(self, stop: int) -> Any:
        """Return the numbers from 0 to `stop` - 1, int64."""
        return self.xp.arange(stop, dtype=self.xp.int64, device=self.device)

    def budget(self, host_bytes: int) -> float:
        """Return how many bytes a block of rows may take: a part of what a device has free."""
        if str(self.device).startswith("cuda") and hasattr(self.xp, "cuda"):
            return max(self.xp.cuda.mem_get_info(self.device)[0] * DEVICE_SHARE, host_bytes)
        return host_bytes


def _restored(name: str, device: Any) -> Place:
    return Place(import_module(name), device)


HOST = Place(array_api_compat.numpy, "cpu")


def place_of(x: Any) -> Place:
    """Return where an array lives."""
    return Place(namespace(x), array_api_compat.device(x)) if is_tensor(x) else HOST


def to_host(x: Any) -> Any:
    """Return a tensor as an array of numpy; other things as they are."""
    if not is_tensor(x):
        return x
    if hasattr(x, "detach"):  # torch
        return x.detach().cpu().numpy()
    return x.get() if hasattr(x, "get") else np.asarray(x)  # CuPy, others


def as_float(x: Any) -> Any:
    """Return an array as float64, or a tensor of floats in the precision that it has."""
    if not is_tensor(x):
        return np.asarray(x, dtype=np.float64)
    xp = namespace(x)
    return x if xp.isdtype(x.dtype, "real floating") else xp.astype(x, xp.float64)


def row_numbers(mask: Any) -> npt.NDArray[np.intp]:
    """Return where a mask (n,) of any place is true, as numbers of numpy."""
    return np.flatnonzero(to_host(mask))


def chosen_rows(x: Any, rows: Any) -> Any:
    """Return rows (a slice, numbers or a mask) of an array, contiguous."""
    if not is_tensor(x):
        return np.ascontiguousarray(x[to_host(rows)])
    if isinstance(rows, slice):
        return _csr_slice(x, rows) if is_sparse_tensor(x) else x[rows, ...]
    rows = to_host(rows)
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    numbers = place_of(x).asarray(rows, "int64")
    return _csr_rows(x, numbers) if is_sparse_tensor(x) else namespace(x).take(x, numbers, axis=0)


def is_sparse_tensor(x: Any) -> bool:
    """Return whether x is a tensor of torch in one of its sparse layouts."""
    return is_tensor(x) and "sparse" in str(getattr(x, "layout", ""))


def csr_tensor(torch: Any, starts: Any, columns: Any, values: Any, shape: Any) -> Any:
    """Return a CSR tensor of parts that are known to be right."""
    size = tuple(shape)
    return torch.sparse_csr_tensor(starts, columns, values, size=size, check_invariants=False)


def _csr_slice(x: Any, rows: slice) -> Any:
    first, last, _ = rows.indices(x.shape[0])
    if (first, last) == (0, x.shape[0]):
        return x
    starts = x.crow_indices()[first : last + 1]
    inside = slice(int(starts[0]), int(starts[-1]))
    parts = starts - starts[0], x.col_indices()[inside], x.values()[inside]
    return csr_tensor(namespace(x), *parts, (last - first, x.shape[1]))


def _csr_rows(x: Any, rows: Any) -> Any:
    torch, starts = namespace(x), x.crow_indices()
    lengths = (starts[1:] - starts[:-1])[rows]
    ends = lengths.cumsum(0)
    shifts = (starts[:-1][rows] - ends + lengths).repeat_interleave(lengths)
    inside = shifts + torch.arange(shifts.shape[0], device=x.device)
    pointers = torch.nn.functional.pad(ends, (1, 0))
    parts = pointers, x.col_indices()[inside], x.values()[inside]
    return csr_tensor(torch, *parts, (rows.shape[0], x.shape[1]))


def chosen_columns(x: Any, columns: Any) -> Any:
    """Return columns (numbers) of an array (n, C)."""
    if not is_tensor(x):
        return x[:, columns]
    return namespace(x).take(x, place_of(x).asarray(columns, "int64"), axis=1)


def put_rows(x: Any, rows: Any, values: Any) -> None:
    """Write rows of an array in place; `rows` are numbers in ascending order."""
    if not is_tensor(x):
        x[rows] = values
        return
    mask = np.zeros(x.shape[0], dtype=bool)
    mask[rows] = True
    x[place_of(x).asarray(mask)] = values


def contiguous(x: Any) -> Any:
    """Return an array with its entries one after the other."""
    if not is_tensor(x):
        return np.ascontiguousarray(x)
    return x.contiguous() if hasattr(x, "contiguous") else x


def row_dots(a: Any, b: Any) -> Any:
    """Return the product of each row of a with that of b: (n, p) both -> (n,)."""
    if is_tensor(a):
        return namespace(a).sum(a * b, axis=1)
    return np.einsum("ij,ij->i", a, b)
