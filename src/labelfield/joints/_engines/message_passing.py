"""Beliefs by passing messages between cliques and labels."""

from typing import ClassVar

import numpy as np
from scipy.special import expit

from labelfield import kernels
from labelfield.joints._engines.approximate import Approximate
from labelfield.joints._engines.contract import Beliefs, Options
from labelfield.joints._field import Field

__all__ = ["MaxProduct", "SumProduct"]


def _pass(field: Field, options: Options, maximize: bool) -> Beliefs:
    """Return what the messages say when they have settled, or when the rounds are over."""
    limit = kernels.fields.messages.MAX_COUPLING
    coupling = np.clip(field.coupling, -limit, limit)
    belief, message, settled, _ = kernels.fields.messages.pass_messages(
        field.unary,
        field.graph.arrays,
        coupling,
        maximize,
        options.schedule == "sequential",
        options.damping,
        options.max_iter,
        options.tol,
    )
    log_partition, present = kernels.fields.messages.read_sum_product(
        belief, message, field.graph.arrays, coupling
    )
    return Beliefs(log_partition, expit(belief), present, settled)


class SumProduct(Approximate):
    """Sum-product (belief propagation): marginals, and the Bethe approximation of log Z."""

    name: ClassVar[str] = "sum_product"

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        return _pass(field, options, maximize=False)


class MaxProduct(Approximate):
    """Max-product: "marginals" are the logistic of max-marginal differences, log Z is unknown."""

    name: ClassVar[str] = "max_product"

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        beliefs = _pass(field, options, maximize=True)
        return beliefs._replace(log_partition=np.full(len(field), np.nan))
