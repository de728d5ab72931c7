"""Mixtures of independent labels, without and with features."""

from labelfield.models.mixture.bernoulli_mixture import BernoulliMixture
from labelfield.models.mixture.conditional_mixture import ConditionalBernoulliMixture
from labelfield.models.mixture.settings import BoostedTrees, EarlyStopping, LogisticRegressions

__all__ = [
    "BernoulliMixture",
    "BoostedTrees",
    "ConditionalBernoulliMixture",
    "EarlyStopping",
    "LogisticRegressions",
]
