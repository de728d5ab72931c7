"""Fits to blocks on disk never hold all features."""

import tracemalloc

import numpy as np
import pytest

from labelfield import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    CorrelatedLogistic,
    LabelPowerset,
    LogisticRegressions,
    PairwiseCRF,
)
from labelfield.datasets import RowBlocks

N_BLOCKS, ROWS, N_FEATURES = 16, 500, 120
SHORT = {"crf", "cbm"}
MODELS = {
    "br": BinaryRelevance(alpha=100.0, tol=1e-2),
    "lp": LabelPowerset(alpha=100.0, tol=1e-2),
    "crf": PairwiseCRF(alpha=100.0, tol=1e-2),
    "corrlog": CorrelatedLogistic(alpha=100.0, tol=1e-2, objective="support"),
    "cbm": ConditionalBernoulliMixture(
        n_components=2,
        components=LogisticRegressions(n_updates=2),
        alpha=100.0,
        max_iter=1,
        random_state=0,
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("blocks")
    rng = np.random.default_rng(0)
    for block in range(N_BLOCKS):
        np.save(path / f"{block}.npy", rng.normal(size=(ROWS, N_FEATURES)))
    return path


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(model, id=name, marks=[] if name in SHORT else [pytest.mark.slow])
        for name, model in MODELS.items()
    ],
)
def test_features_stay_on_disk(model, folder):
    def read():
        for block in range(N_BLOCKS):
            X = np.load(folder / f"{block}.npy")
            yield X, (X[:, :3] > 0.5).astype(np.uint8)

    few = [next(read())]
    model.fit(few)  # what is made once is not counted
    tracemalloc.start()
    model.fit(RowBlocks(read))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * 8 * N_BLOCKS * ROWS * N_FEATURES
