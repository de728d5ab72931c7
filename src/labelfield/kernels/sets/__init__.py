"""Label sets: codes, best sets, sizes, decisions for F1."""

from types import ModuleType
from typing import TYPE_CHECKING

from labelfield.kernels._loading import load

if TYPE_CHECKING:
    from labelfield.kernels.sets import (
        gfm,
        kbest,
        poisson_binomial,
        threshold,
    )

__all__ = [
    "gfm",
    "kbest",
    "poisson_binomial",
    "threshold",
]


def __getattr__(name: str) -> ModuleType:
    return load(__name__, name, __all__)
