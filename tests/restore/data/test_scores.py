"""Scores of restored tables, and what they show on the real ones."""

import os

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labelfield.restore import (
    MixedTable,
    RandomMixedField,
    cell_scores,
    corrupt_table,
    load_mixed_table,
)


def table(numbers, states):
    return MixedTable(np.array(numbers, dtype=float), np.array(states), (("a", "b", "c"),))


def test_errors_of_observed_and_missing_cells_are_apart():
    clean = table([[1.0], [2.0], [3.0]], [[0], [1], [2]])
    dirty = table([[5.0], [np.nan], [3.0]], [[-1], [1], [0]])
    restored = table([[3.0], [1.0], [3.0]], [[1], [1], [0]])
    scores = cell_scores(clean, dirty, restored, scale=np.array([2.0]))
    assert_allclose(scores["rmse_observed"], np.sqrt((1.0**2 + 0.0) / 2))
    assert_allclose(scores["rmse_missing"], 0.5)
    assert (scores["state_error_observed"], scores["state_error_missing"]) == (0.5, 1.0)


def test_no_such_cell_has_no_score():
    clean = table([[1.0]], [[0]])
    scores = cell_scores(clean, clean, clean, scale=np.array([0.0]))
    assert scores["rmse_observed"] == 0.0
    assert np.isnan(scores["rmse_missing"])
    assert np.isnan(scores["state_error_missing"])


def real(name):
    if not os.path.isdir(os.environ.get("LABELFIELD_DATA", "")):
        pytest.skip("LABELFIELD_DATA does not name the folder of the real data sets")
    train, test = (load_mixed_table(name, split=split) for split in ("train", "test"))
    return train.filled_from(train), test.filled_from(train)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["crx", "australian", "german"])
def test_estimated_noise_is_never_worse_than_leaving_cells_alone(name):
    train, test = real(name)
    scale = train.continuous.std(axis=0)
    model = RandomMixedField(noise_scale="estimate", flip_rate="estimate", random_state=0)
    model.fit(train)
    for tau in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5):
        for seed in range(3):
            dirty = corrupt_table(test, noise=tau, scale=scale, random_state=seed)
            alone = cell_scores(test, dirty, dirty, scale=scale)
            restored = cell_scores(test, dirty, model.transform(dirty), scale=scale)
            assert restored["rmse_observed"] < 1.02 * alone["rmse_observed"]
            assert restored["state_error_observed"] < alone["state_error_observed"]
