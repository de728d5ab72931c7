"""Comparing models on your own data: cross-validated figures, answers per decision, statistics."""

from labelfield.evaluation.answers import OWN, Answers, answer, unwrap
from labelfield.evaluation.comparison import compare_models
from labelfield.evaluation.shown import Comparison
from labelfield.evaluation.warm_up import warm_up

__all__ = ["OWN", "Answers", "Comparison", "answer", "compare_models", "unwrap", "warm_up"]
