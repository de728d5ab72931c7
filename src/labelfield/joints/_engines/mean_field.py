"""Beliefs from the nearest product law."""

from typing import ClassVar

from labelfield import kernels
from labelfield.joints._engines.approximate import Approximate
from labelfield.joints._engines.contract import Beliefs, Options
from labelfield.joints._field import Field

__all__ = ["MeanField"]


class MeanField(Approximate):
    """Mean field: means, and a lower bound on log Z."""

    name: ClassVar[str] = "mean_field"

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        answers = kernels.fields.sweeps.mean_field(*field.parts, options.max_iter, options.tol)
        return Beliefs(*answers)
