"""Beliefs by passing messages between cliques and labels."""

from typing import ClassVar

import numpy as np
from scipy.special import expit

from labelfield import kernels
from labelfield._typing import BoolArray, FloatArray
from labelfield.joints._engines.approximate import Approximate
from labelfield.joints._engines.contract import Beliefs, Options
from labelfield.joints._field import Field

__all__ = ["MaxProduct", "SumProduct"]


def _pass(
    field: Field, options: Options, maximize: bool
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Return beliefs (n, L), messages, couplings kept in range, and which rows settled."""
    limit = kernels.messages.MAX_COUPLING
    coupling = np.clip(field.coupling, -limit, limit)
    belief, message, settled, _ = kernels.messages.pass_messages(
        *field.arrays[:3],
        coupling,
        maximize,
        options.schedule == "sequential",
        options.damping,
        options.max_iter,
        options.tol,
    )
    return belief, message, coupling, settled


class SumProduct(Approximate):
    """Sum-product (belief propagation): marginals, and the Bethe approximation of log Z."""

    name: ClassVar[str] = "sum_product"

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        belief, message, coupling, settled = _pass(field, options, maximize=False)
        log_partition, present = kernels.messages.read_sum_product(
            belief, message, *field.arrays[1:3], coupling
        )
        return Beliefs(log_partition, expit(belief), present, settled)


class MaxProduct(Approximate):
    """Max-product: "marginals" are the logistic of max-marginal differences, log Z is unknown."""

    name: ClassVar[str] = "max_product"

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        belief, message, coupling, settled = _pass(field, options, maximize=True)
        _, present = kernels.messages.read_sum_product(
            belief, message, *field.arrays[1:3], coupling
        )
        return Beliefs(np.full(len(field), np.nan), expit(belief), present, settled)
