"""Losses x penalties x solvers."""

from labelfield.optim.column_lbfgs import Metric, column_lbfgs
from labelfield.optim.fista import fista
from labelfield.optim.losses import ColumnLoss, Loss
from labelfield.optim.penalties import L1, ElasticNet, GroupLasso, Penalty, Ridge, SmoothPenalty
from labelfield.optim.trace import Trace

__all__ = [
    "L1",
    "ColumnLoss",
    "ElasticNet",
    "GroupLasso",
    "Loss",
    "Metric",
    "Penalty",
    "Ridge",
    "SmoothPenalty",
    "Trace",
    "column_lbfgs",
    "fista",
]
