"""Rules between labels, as data and as tables that joints compute with."""

from labelfield.rules.findings import Finding, Violations
from labelfield.rules.label_rules import LabelRules
from labelfield.rules.rule import Rule
from labelfield.rules.suggestions import Suggestion

__all__ = ["Finding", "LabelRules", "Rule", "Suggestion", "Violations"]
