"""Restricted Boltzmann machines over labels, conditioned on features."""

from labelfield.models.boltzmann.conditional_rbm import ConditionalRBM
from labelfield.models.boltzmann.relatedness import LabelRelatedness
from labelfield.models.boltzmann.settings import ContrastiveDivergence, LabelRecovery

__all__ = ["ConditionalRBM", "ContrastiveDivergence", "LabelRecovery", "LabelRelatedness"]
