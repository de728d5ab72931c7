"""Graphs of labels: what a model learned about them, and how to look at it."""

from labelfield.graph.label_graph import LabelGraph

__all__ = ["LabelGraph"]
