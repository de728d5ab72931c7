"""Which labels are coupled, and in which order they are summed out."""

from labelfield.joints.factor_graph.factor_graph import FactorGraph

__all__ = ["FactorGraph"]
