"""Restricted Boltzmann machines over labels, conditioned on features."""

from labelfield.models.boltzmann.conditional_rbm import ConditionalRBM
from labelfield.models.boltzmann.relatedness import LabelRelatedness

__all__ = ["ConditionalRBM", "LabelRelatedness"]
