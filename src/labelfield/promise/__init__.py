"""Promises about accepted sets: thresholds, alternatives, costs, and a watch over them."""

from labelfield.promise.accepting import Acceptance, AcceptancePlan, acceptance
from labelfield.promise.alternatives import Alternatives, least_log_prob
from labelfield.promise.costs import Costs
from labelfield.promise.monitor import PromiseMonitor
from labelfield.promise.rows import ReviewedRows

__all__ = [
    "Acceptance",
    "AcceptancePlan",
    "Alternatives",
    "Costs",
    "PromiseMonitor",
    "ReviewedRows",
    "acceptance",
    "least_log_prob",
]
