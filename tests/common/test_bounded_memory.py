"""Answers about many rows take memory for the answers, and for one block of rows."""

import tracemalloc

import numpy as np
import pytest
from sklearn import config_context

from labelfield import (
    CalibratedSetClassifier,
    ConditionalBernoulliMixture,
    LabelPowerset,
    SetReranker,
    registry,
)
from labelfield.datasets import make_multilabel

SHORT = {"br", "lp", "cbm", "crf"}  # the others take minutes together
N_FEATURES, N_LABELS = 3, 8
FEW, MANY = 200, 600
WORKING_MEMORY = 0.0625  # MiB: about a hundred rows of the smallest models
# Features, labels, and answers, each there three times; label pairs or all sets would be 512 bytes.
ALLOWED = 3 * 8 * (N_FEATURES + N_LABELS)
MODELS = {
    "calibrated mixture": CalibratedSetClassifier(
        ConditionalBernoulliMixture(n_components=6, early_stopping=False, max_iter=2, alpha=1.0),
        cv=2,
    ),
    "reranked power set": SetReranker(LabelPowerset(alpha=1.0), cv=2),
}


@pytest.fixture(scope="module")
def data():
    return make_multilabel(n_samples=80, n_features=N_FEATURES, n_labels=N_LABELS, random_state=0)


def bytes_of_a_row(answer):
    """Return by how much the peak grows with every row of X."""
    X = np.random.default_rng(0).normal(size=(MANY, N_FEATURES))
    answer(X[:FEW])  # what is made once is not counted
    peaks = []
    for n_rows in (FEW, MANY):
        tracemalloc.start()
        answer(X[:n_rows])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return (peaks[1] - peaks[0]) / (MANY - FEW)


def check_bounded(model):
    answers = {
        "predict": model.predict,
        "predict_proba": model.predict_proba,
        "f1": lambda X: model.predict(X, decoder="f1"),
    }
    if hasattr(model, "predict_confidence"):
        answers["predict_confidence"] = model.predict_confidence
    with config_context(working_memory=WORKING_MEMORY):
        grown = {name: bytes_of_a_row(answer) for name, answer in answers.items()}
    assert max(grown.values()) <= ALLOWED, grown


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=name, marks=[] if name in SHORT else [pytest.mark.slow])
        for name, entry in registry.CLASSIFIERS.items()
    ],
)
def test_memory_of_answers_does_not_grow_with_rows(entry, data):
    check_bounded(entry.make_tiny().fit(data.X, data.Y))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_memory_of_wrappers_does_not_grow_with_rows(model, data):
    check_bounded(model.fit(data.X, data.Y))


def test_joints_of_all_rows_would_be_noticed(data):
    model = ConditionalBernoulliMixture(n_components=6, early_stopping=False, max_iter=1, alpha=1.0)
    model.fit(data.X, data.Y)
    assert bytes_of_a_row(lambda X: model.predict_joint(X).marginals()) > ALLOWED
