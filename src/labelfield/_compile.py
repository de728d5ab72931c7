"""How kernels are compiled: one place for the options of numba."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., object])

COMPILING = "Compiling loops once, for some seconds; later runs find them on disk."


def compiled(function: Function) -> Function:
    """Compile at the first call, keep the machine code on disk, release the GIL.

    Write loops, not `a[i] = b` for arrays a and b: that statement alone costs seconds.
    """
    jit = numba.njit(cache=True, nogil=True, error_model="numpy")
    return cast(Function, jit(function))


class _Announcement(event.Listener):  # type: ignore[misc]  # numba has no types
    """Logs once a process that the library compiles, which nothing else would explain."""

    def __init__(self) -> None:
        self.made = False

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if not self.made and function.__module__.startswith("labelfield."):
            self.made = True
            logging.getLogger("labelfield").info(COMPILING)

    def on_end(self, event: Any) -> None:
        """Nothing is left to say."""


event.register("numba:compile", _Announcement())
