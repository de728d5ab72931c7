"""Losses x penalties x solvers."""

from labelfield.optim.lbfgs import ColumnProblem, column_lbfgs
from labelfield.optim.penalties import L1, ElasticNet, GroupLasso, Penalty, Ridge
from labelfield.optim.proximal import SmoothLoss, fista
from labelfield.optim.trace import Trace

__all__ = [
    "L1",
    "ColumnProblem",
    "ElasticNet",
    "GroupLasso",
    "Penalty",
    "Ridge",
    "SmoothLoss",
    "Trace",
    "column_lbfgs",
    "fista",
]
