"""Names, headings and directions of everything that a table can show."""

from dataclasses import dataclass

from labelfield.metrics import METRICS

__all__ = ["MEASURES", "SCORE_METRICS", "SET_METRICS", "Measure"]


@dataclass(frozen=True)
class Measure:
    """A column of results.

    Parameters
    ----------
    name : str
    title : str
        Heading in tables.
    greater_is_better : bool or None
        None where neither is better.
    """

    name: str
    title: str
    greater_is_better: bool | None


SET_METRICS = tuple(name for name, metric in METRICS.items() if metric.needs == "sets")
SCORE_METRICS = tuple(name for name, metric in METRICS.items() if metric.needs == "scores")

MEASURES = {
    measure.name: measure
    for measure in (
        *(Measure(name, one.title, one.greater_is_better) for name, one in METRICS.items()),
        Measure("zero_one_loss", "0-1 loss", False),
        Measure("log_likelihood", "log-likelihood", True),
        Measure("cpu_seconds", "CPU s", False),
        Measure("fit_seconds", "fit, CPU s", False),
        Measure("predict_seconds", "predict, CPU s", False),
        Measure("brier_score", "MSE", False),
        Measure("sharpness", "sharpness", True),
        Measure("uncertainty", "uncertainty", None),
        Measure("alignment_error", "alignment error", False),
        Measure("expected_calibration_error", "ECE", False),
        Measure("chance_calibration_error", "ECE by chance", None),
        Measure("mean_confidence", "mean confidence", None),
        Measure("annotation_precision", "precision", True),
        Measure("annotation_recall", "recall", True),
        Measure("annotation_f1", "F-score", True),
        Measure("retrieval_p3", "P3", True),
        Measure("retrieval_p5", "P5", True),
        Measure("retrieval_p10", "P10", True),
        Measure("retrieval_map", "MAP", True),
        Measure("retrieval_auc", "AROC", True),
        Measure("matched_f1_macro", "macro F1, matched cardinality", True),
        Measure("matched_f1_micro", "micro F1, matched cardinality", True),
        Measure("recovery_recall", "hidden labels predicted", True),
        Measure("recovery_top_k", "hidden labels in the top k", True),
        Measure("recovery_ranking", "hidden above absent", True),
        Measure("knn_accuracy", "nearest neighbours", True),
        Measure("svm_accuracy", "linear SVM", True),
        Measure("rmse_observed", "RMSE, observed", False),
        Measure("rmse_missing", "RMSE, missing", False),
        Measure("state_error_observed", "wrong states, observed", False),
        Measure("state_error_missing", "wrong states, missing", False),
    )
}
