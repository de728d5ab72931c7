"""What a report says, in plain numbers and strings that JSON can hold; no HTML in here."""

from labelfield.report.summary.build import build_report
from labelfield.report.summary.compared import build_comparison_report, choose_result
from labelfield.report.summary.comparison import summarize_comparison
from labelfield.report.summary.confidence import summarize_automation, summarize_reliability
from labelfield.report.summary.data import describe_data
from labelfield.report.summary.examples import pick_examples
from labelfield.report.summary.graph import summarize_graph
from labelfield.report.summary.leaderboard import summarize_leaderboard
from labelfield.report.summary.results import (
    count_broken_rules,
    score_labels,
    score_overall,
    score_sets,
)

__all__ = [
    "build_comparison_report",
    "build_report",
    "choose_result",
    "count_broken_rules",
    "describe_data",
    "pick_examples",
    "score_labels",
    "score_overall",
    "score_sets",
    "summarize_automation",
    "summarize_comparison",
    "summarize_graph",
    "summarize_leaderboard",
    "summarize_reliability",
]
