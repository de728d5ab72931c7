"""Graphs of labels: which are coupled, what a model learned about them, how to look at it."""

from labelfield.graph.factor_graph import FactorGraph
from labelfield.graph.label_graph import LabelGraph
from labelfield.graph.structure import chow_liu_tree, maximum_spanning_forest

__all__ = ["FactorGraph", "LabelGraph", "chow_liu_tree", "maximum_spanning_forest"]
