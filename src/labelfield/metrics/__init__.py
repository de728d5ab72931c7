"""Measures of label sets, rankings, confidence and automation; NaN in the truth is unknown."""

from labelfield.metrics.automation import automation_curve, share_at_accuracy
from labelfield.metrics.calibration import (
    alignment_error,
    brier_score,
    expected_calibration_error,
    reliability_bins,
    sharpness,
    uncertainty,
)
from labelfield.metrics.hierarchy import (
    average_prc_area,
    hierarchical_f1,
    hierarchical_precision,
    hierarchical_recall,
    rule_violations,
)
from labelfield.metrics.many_labels import label_propensities, named_precision
from labelfield.metrics.ranking import (
    average_precision,
    coverage_error,
    precision_at_k,
    ranking_loss,
    roc_auc,
)
from labelfield.metrics.scorers import METRICS, Metric, get_scorer
from labelfield.metrics.sets import (
    f1_score,
    hamming_loss,
    jaccard_score,
    pairwise_score,
    precision_score,
    recall_score,
    subset_accuracy,
)

__all__ = [
    "METRICS",
    "Metric",
    "alignment_error",
    "automation_curve",
    "average_prc_area",
    "average_precision",
    "brier_score",
    "coverage_error",
    "expected_calibration_error",
    "f1_score",
    "get_scorer",
    "hamming_loss",
    "hierarchical_f1",
    "hierarchical_precision",
    "hierarchical_recall",
    "jaccard_score",
    "label_propensities",
    "named_precision",
    "pairwise_score",
    "precision_at_k",
    "precision_score",
    "ranking_loss",
    "recall_score",
    "reliability_bins",
    "roc_auc",
    "rule_violations",
    "share_at_accuracy",
    "sharpness",
    "subset_accuracy",
    "uncertainty",
]
