"""Figures of the documents that show a fitted model: graphs, clusters, reliability, a solver."""

from lab.drawings.drawing import Drawing
from lab.drawings.graphs import GRAPHS
from lab.drawings.mixtures import MIXTURES
from lab.drawings.nets import NETS
from lab.drawings.reliability import RELIABILITY
from lab.drawings.solvers import SOLVERS

__all__ = ["DRAWINGS", "Drawing"]

DRAWINGS = {one.id: one for one in (*GRAPHS, *MIXTURES, *NETS, *RELIABILITY, *SOLVERS)}
