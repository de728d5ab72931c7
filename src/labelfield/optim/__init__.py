"""Losses x penalties x solvers."""

from labelfield.optim.column_lbfgs import column_lbfgs
from labelfield.optim.fista import fista
from labelfield.optim.fixed_step import fixed_step_fista
from labelfield.optim.lbfgs import lbfgs
from labelfield.optim.losses import ColumnLoss, Loss, Metric
from labelfield.optim.orthant import orthant_lbfgs
from labelfield.optim.overlapping import OverlappingGroupLasso
from labelfield.optim.penalties import (
    L1,
    Blocks,
    ElasticNet,
    GroupLasso,
    Penalty,
    Ridge,
    SmoothPenalty,
    SplitPenalty,
)
from labelfield.optim.trace import Trace, warn_unless_converged

__all__ = [
    "L1",
    "Blocks",
    "ColumnLoss",
    "ElasticNet",
    "GroupLasso",
    "Loss",
    "Metric",
    "OverlappingGroupLasso",
    "Penalty",
    "Ridge",
    "SmoothPenalty",
    "SplitPenalty",
    "Trace",
    "column_lbfgs",
    "fista",
    "fixed_step_fista",
    "lbfgs",
    "orthant_lbfgs",
    "warn_unless_converged",
]
