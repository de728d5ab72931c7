"""Threads over blocks of rows: the same bits, whoever computes a block."""

import threading

import numpy as np
import pytest
import sklearn

from labelfield import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    LabelPowerset,
    ProbabilisticClassifierChain,
)
from labelfield.base import joint as base
from labelfield.base import parts
from labelfield.datasets import make_multilabel
from labelfield.optim.executors import in_order

MODELS = (
    BinaryRelevance(alpha=1.0),
    ProbabilisticClassifierChain(alpha=1.0, random_state=0),
    ConditionalBernoulliMixture(n_components=2, alpha=1.0, max_iter=2, random_state=0),
)


@pytest.fixture(scope="module")
def data():
    return make_multilabel(n_samples=120, n_features=4, n_labels=5, random_state=0)


@pytest.fixture
def seen(monkeypatch):
    """Blocks of 16 rows, and the threads that made their joints."""
    monkeypatch.setattr(parts, "SHARED_ROWS", 16)
    monkeypatch.setattr(parts, "SHARED_CELLS", 16)
    threads, made = [], base.JointClassifier._bound_joint

    def watched(self, X):
        threads.append(threading.current_thread())
        return made(self, X)

    monkeypatch.setattr(base.JointClassifier, "_bound_joint", watched)
    return threads


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("decoder", ["subset", "f1", "hamming"])
def test_threads_give_the_bits_of_one(data, seen, model, decoder):
    model.fit(data.X, data.Y)
    single = model.set_params(n_jobs=1).predict(data.X, decoder), model.predict_proba(data.X)
    assert set(seen) == {threading.main_thread()}
    seen.clear()
    shared = model.set_params(n_jobs=2).predict(data.X, decoder), model.predict_proba(data.X)
    assert len(seen) == 2 * 8
    assert threading.main_thread() not in seen
    for one, other in zip(single, shared):
        np.testing.assert_array_equal(one, other)


def test_models_without_threads_stay_in_the_main_one(data, seen):
    LabelPowerset(alpha=1.0).fit(data.X, data.Y).predict(data.X)
    BinaryRelevance(alpha=1.0, n_jobs=2).fit(data.X, data.Y).predict(data.X[:16])  # a single block
    assert set(seen) == {threading.main_thread()}


def test_threads_have_the_settings_of_scikit_learn():
    with sklearn.config_context(working_memory=7):
        found = in_order(lambda _: sklearn.get_config()["working_memory"], range(4), 2)
        assert list(found) == [7] * 4
