"""Fields of coupled labels: sums, best sets, messages, draws."""

from types import ModuleType
from typing import TYPE_CHECKING

from labelfield.kernels._loading import load

if TYPE_CHECKING:
    from labelfield.kernels.fields import (
        elimination,
        elimination_best,
        elimination_sizes,
        enumeration,
        messages,
        mplp,
        rbm,
        sweeps,
    )

__all__ = [
    "elimination",
    "elimination_best",
    "elimination_sizes",
    "enumeration",
    "messages",
    "mplp",
    "rbm",
    "sweeps",
]


def __getattr__(name: str) -> ModuleType:
    return load(__name__, name, __all__)
