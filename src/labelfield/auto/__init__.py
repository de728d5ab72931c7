"""The classifier that chooses models, strengths and weights by itself."""

from labelfield.auto.classifier import LabelSetClassifier

__all__ = ["LabelSetClassifier"]
