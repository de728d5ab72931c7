"""Trees whose leaves answer for labels and label sets at once."""

from labelfield.learners.trees.label_trees import LabelTrees
from labelfield.learners.trees.row_forest import RowForest

__all__ = ["LabelTrees", "RowForest"]
