"""Comparing models on your own data: cross-validated figures, answers per decision, statistics."""

from labelfield.evaluation.answers import OWN, Answers, answer, unwrap
from labelfield.evaluation.comparison import compare_models

__all__ = ["OWN", "Answers", "answer", "compare_models", "unwrap"]
