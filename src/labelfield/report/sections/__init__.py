"""The sections of the page, each from its part of the summary; None if there is nothing to say."""

from labelfield.report.sections.comparison import comparison_section
from labelfield.report.sections.confidence import confidence_section
from labelfield.report.sections.data import data_section
from labelfield.report.sections.examples import examples_section
from labelfield.report.sections.graph import graph_section
from labelfield.report.sections.overview import overview
from labelfield.report.sections.results import labels_section, rules_section, sets_section

__all__ = ["SECTIONS", "overview"]

SECTIONS = {
    "data": ("The data", data_section),
    "comparison": ("Comparison of models", comparison_section),
    "labels": ("Label by label", labels_section),
    "sets": ("Set by set", sets_section),
    "confidence": ("Confidence", confidence_section),
    "rules": ("Broken rules", rules_section),
    "graph": ("Label graph", graph_section),
    "examples": ("Examples", examples_section),
}
