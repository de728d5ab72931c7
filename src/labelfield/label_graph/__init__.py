"""The graph of labels one looks at: links with names, trees from statistics, pictures."""

from labelfield.label_graph.associations import associate_labels
from labelfield.label_graph.label_graph import LabelGraph
from labelfield.label_graph.trees import chow_liu_tree, maximum_spanning_forest

__all__ = ["LabelGraph", "associate_labels", "chow_liu_tree", "maximum_spanning_forest"]
