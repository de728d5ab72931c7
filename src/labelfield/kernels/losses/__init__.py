"""What the solvers evaluate: losses, products, quasi-Newton steps."""

from types import ModuleType
from typing import TYPE_CHECKING

from labelfield.kernels._loading import load

if TYPE_CHECKING:
    from labelfield.kernels.losses import (
        conditional_logit,
        differences,
        hinge,
        lbfgs,
        logistic,
        softmax,
        sparse_product,
        support,
    )

__all__ = [
    "conditional_logit",
    "differences",
    "hinge",
    "lbfgs",
    "logistic",
    "softmax",
    "sparse_product",
    "support",
]


def __getattr__(name: str) -> ModuleType:
    return load(__name__, name, __all__)
