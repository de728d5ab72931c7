"""What is done with a model in a cell: a function of the cell and one cut of the data."""

from lab.tasks.annotate import annotate
from lab.tasks.classify import classify
from lab.tasks.confidence import measure_confidence
from lab.tasks.margin_risk import measure_margin_risk
from lab.tasks.name_labels import name_labels
from lab.tasks.noisy_confidence import measure_noisy_confidence
from lab.tasks.recover import recover
from lab.tasks.restore import restore

__all__ = ["TASKS"]

TASKS = {
    "annotate": annotate,
    "classify": classify,
    "confidence": measure_confidence,
    "margin_risk": measure_margin_risk,
    "name_labels": name_labels,
    "noisy_confidence": measure_noisy_confidence,
    "recover": recover,
    "restore": restore,
}
