"""Reports: one HTML file that opens offline, made from plain numbers."""

from labelfield.report.html import render_html, write_report
from labelfield.report.summary import build_comparison_report, build_report, choose_result

__all__ = [
    "build_comparison_report",
    "build_report",
    "choose_result",
    "render_html",
    "write_report",
]
