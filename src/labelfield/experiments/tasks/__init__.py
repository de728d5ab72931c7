"""What is done with a model in a cell: a function of the cell and one cut of the data."""

from labelfield.experiments.tasks.annotate import annotate
from labelfield.experiments.tasks.classify import classify
from labelfield.experiments.tasks.confidence import measure_confidence
from labelfield.experiments.tasks.noisy_confidence import measure_noisy_confidence
from labelfield.experiments.tasks.recover import recover
from labelfield.experiments.tasks.restore import restore

__all__ = ["TASKS"]

TASKS = {
    "annotate": annotate,
    "classify": classify,
    "confidence": measure_confidence,
    "noisy_confidence": measure_noisy_confidence,
    "recover": recover,
    "restore": restore,
}
