"""Which labels are coupled, and in which order they are summed out."""

from labelfield.joints.factor_graph.factor_graph import MAX_WIDTH, FactorGraph

__all__ = ["MAX_WIDTH", "FactorGraph"]
