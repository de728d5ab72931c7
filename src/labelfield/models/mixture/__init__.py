"""Mixtures of products of Bernoulli laws, without and with features."""

from labelfield.models.mixture.bernoulli_mixture import BernoulliMixture
from labelfield.models.mixture.conditional_mixture import ConditionalBernoulliMixture

__all__ = ["BernoulliMixture", "ConditionalBernoulliMixture"]
