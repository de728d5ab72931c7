"""Classifier chains."""

from labelfield.models.chains.chain import ClassifierChain, ProbabilisticClassifierChain
from labelfield.models.chains.ensemble import ClassifierChainEnsemble

__all__ = ["ClassifierChain", "ClassifierChainEnsemble", "ProbabilisticClassifierChain"]
