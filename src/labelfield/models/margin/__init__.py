"""Max-margin fields of labels."""

from labelfield.models.margin.clique_generating_machine import CliqueGeneratingMachine
from labelfield.models.margin.structured_svm import StructuredSVM

__all__ = ["CliqueGeneratingMachine", "StructuredSVM"]
