"""One restorer corrects, another fills."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lab.restorers import MeanModeImputer, MixedKNNImputer, TwoStageRestorer
from labelfield.restore import MixedTable, RandomMixedField, corrupt_table
from small_tables import clean_frame


@pytest.fixture(scope="module")
def tables():
    table = MixedTable.from_frame(clean_frame(260))
    train, test = table.take(slice(0, 200)), table.take(slice(200, 260))
    dirty = corrupt_table(test, noise=0.3, missing=0.3, random_state=0)
    return train, test, dirty


@pytest.fixture(scope="module")
def field():
    return RandomMixedField(alpha=0.02, noise_scale=0.3, flip_rate=0.3)


def test_observed_cells_are_those_of_the_corrector(tables, field):
    train, _, dirty = tables
    result = TwoStageRestorer(MeanModeImputer(), corrector=field).fit(train).transform(dirty)
    alone = field.fit(train).transform(dirty)
    hole, gap = np.isnan(dirty.continuous), dirty.categorical < 0
    assert_allclose(result.continuous[~hole], alone.continuous[~hole])
    assert_array_equal(result.categorical[~gap], alone.categorical[~gap])
    mean = np.broadcast_to(train.continuous.mean(axis=0), hole.shape)
    assert_allclose(result.continuous[hole], mean[hole])


def test_holes_are_filled_from_corrected_cells(tables, field):
    train, _, dirty = tables
    result = TwoStageRestorer(MixedKNNImputer(), corrector=field).fit(train).transform(dirty)
    corrected = field.fit(train).transform(dirty)
    hole, gap = np.isnan(dirty.continuous), dirty.categorical < 0
    by_hand = MixedKNNImputer().fit(train)
    by_hand = by_hand.transform(
        corrected.with_cells(
            np.where(hole, np.nan, corrected.continuous), np.where(gap, -1, corrected.categorical)
        )
    )
    assert_allclose(result.continuous, by_hand.continuous)
    assert_array_equal(result.categorical, by_hand.categorical)


def test_the_default_corrector_estimates_the_noise(tables):
    train, test, dirty = tables
    model = TwoStageRestorer(MixedKNNImputer(), random_state=0).fit(train)
    gap = dirty.categorical < 0
    restored, trusting = model.transform(dirty), MixedKNNImputer().fit(train).transform(dirty)

    def wrong(one):
        return (one.categorical != test.categorical)[~gap].mean()

    assert model.corrector_.noise_scale == "estimate"
    assert wrong(restored) < 0.8 * wrong(trusting)
