"""How kernels are compiled: one place for the options of numba."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile at the first call, keep the machine code on disk, release the GIL."""
    jit = numba.njit(cache=True, nogil=True, error_model="numpy")
    return cast(Function, jit(function))
