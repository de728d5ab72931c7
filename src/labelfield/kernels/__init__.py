"""Inner loops over plain arrays.

Modules with compiled loops import numba, so they load on first use: write
`from labelfield import kernels` and call `kernels.kbest.k_best(...)`.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labelfield.kernels import (
        arff,
        dual_ascent,
        elimination,
        elimination_sizes,
        enumeration,
        field_scores,
        flips,
        gfm,
        heap,
        kbest,
        lbfgs,
        logistic,
        max_elimination,
        mean_field,
        messages,
        mixed_neighbors,
        mplp,
        poisson_binomial,
        potts_bp,
        ranking,
        rbm,
        sign_means,
        softmax,
        sparse_product,
        stratify,
        subset_scores,
        support,
        threshold,
    )

__all__ = [
    "arff",
    "dual_ascent",
    "elimination",
    "elimination_sizes",
    "enumeration",
    "field_scores",
    "flips",
    "gfm",
    "heap",
    "kbest",
    "lbfgs",
    "logistic",
    "max_elimination",
    "mean_field",
    "messages",
    "mixed_neighbors",
    "mplp",
    "poisson_binomial",
    "potts_bp",
    "ranking",
    "rbm",
    "sign_means",
    "softmax",
    "sparse_product",
    "stratify",
    "subset_scores",
    "support",
    "threshold",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f"labelfield.kernels.{name}")
    raise AttributeError(f"module 'labelfield.kernels' has no attribute {name!r}")
