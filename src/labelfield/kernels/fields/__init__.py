"""Fields of coupled labels: sums, best sets, messages, draws."""

from types import ModuleType
from typing import TYPE_CHECKING

from labelfield.kernels._loading import load

if TYPE_CHECKING:
    from labelfield.kernels.fields import (
        elimination,
        elimination_sizes,
        enumeration,
        field_scores,
        flips,
        heap,
        max_elimination,
        mean_field,
        messages,
        mplp,
        rbm,
        subset_scores,
    )

__all__ = [
    "elimination",
    "elimination_sizes",
    "enumeration",
    "field_scores",
    "flips",
    "heap",
    "max_elimination",
    "mean_field",
    "messages",
    "mplp",
    "rbm",
    "subset_scores",
]


def __getattr__(name: str) -> ModuleType:
    return load(__name__, name, __all__)
