"""One problem per label."""

from labelfield.models.relevance.binary_relevance import BinaryRelevance
from labelfield.models.relevance.stacked import DependentRelevance, StackedRelevance

__all__ = ["BinaryRelevance", "DependentRelevance", "StackedRelevance"]
