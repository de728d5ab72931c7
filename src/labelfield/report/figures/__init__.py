"""Pictures of the report: plain SVG from plain numbers, coloured by the style sheet."""

from labelfield.report.figures.bars import label_frequencies, label_tail, set_sizes
from labelfield.report.figures.confidence import automation_curve, reliability_diagram
from labelfield.report.figures.dots import metric_dots
from labelfield.report.figures.heatmap import co_occurrence_map
from labelfield.report.figures.label_graph import label_graph

__all__ = [
    "automation_curve",
    "co_occurrence_map",
    "label_frequencies",
    "label_graph",
    "label_tail",
    "metric_dots",
    "reliability_diagram",
    "set_sizes",
]
