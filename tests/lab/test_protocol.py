"""Cuts of the data: disjoint, repeatable, and degraded as described."""

import numpy as np
import pytest
from lab.sampled import SampledSplit

from lab import (
    CrossValidation,
    FreshDraws,
    Generated,
    HiddenPositives,
    NoisyCalibration,
    RandomSplit,
    StandardSplit,
)

SOURCE = Generated("make_multilabel", {"n_samples": 100, "n_features": 3, "n_labels": 5})
PROTOCOLS = [
    CrossValidation(4),
    RandomSplit(0.3, n_repetitions=2),
    SampledSplit(0.3, n_repetitions=2, n_rows=60),
    FreshDraws(n_train=30, n_test=20),
    HiddenPositives(0.4, n_train=60),
    NoisyCalibration((0.1, 0.5)),
]


def rows(data):
    return {tuple(row) for row in data.X}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_parts_are_disjoint_and_repeatable(protocol):
    part = protocol.part(SOURCE, 1)
    assert not rows(part.train) & rows(part.test)
    again = protocol.part(SOURCE, 1)
    np.testing.assert_array_equal(again.train.X, part.train.X)
    np.testing.assert_array_equal(again.train.Y, part.train.Y)
    other = protocol.part(SOURCE, 0)
    assert rows(other.test) != rows(part.test)


def test_folds_cover_every_row_once():
    parts = [CrossValidation(4).part(SOURCE, k) for k in range(4)]
    tested = np.concatenate([part.test.X for part in parts])
    assert len(tested) == 100
    assert {tuple(row) for row in tested} == rows(SOURCE.load())


def test_sizes():
    part = RandomSplit(0.3).part(SOURCE, 0)
    assert (len(part.train.Y), len(part.test.Y)) == (70, 30)
    part = SampledSplit(0.3, n_rows=60).part(SOURCE, 0)
    assert (len(part.train.Y), len(part.test.Y)) == (42, 18)
    part = SampledSplit(0.3, n_rows=1000).part(SOURCE, 0)
    assert (len(part.train.Y), len(part.test.Y)) == (70, 30)
    part = FreshDraws(n_train=30, n_test=20).part(SOURCE, 0)
    assert (len(part.train.Y), len(part.test.Y)) == (30, 20)


def test_hidden_positives_lose_the_share_asked_for_and_nothing_else():
    part = HiddenPositives(0.4, n_train=60).part(SOURCE, 0)
    complete = part.extra
    assert len(part.train.Y) == 60
    assert (complete >= part.train.Y).all()
    assert complete.sum() - part.train.Y.sum() == round(0.4 * complete.sum())
    by_row = {tuple(x): tuple(y) for x, y in zip(SOURCE.load().X, SOURCE.load().Y)}
    assert all(by_row[tuple(x)] == tuple(y) for x, y in zip(part.test.X, part.test.Y))


def test_noisy_calibration_flips_one_label_at_each_coders_rate():
    source = Generated("make_multilabel", {"n_samples": 20000, "n_features": 2, "n_labels": 5})
    part = NoisyCalibration((0.1, 0.5)).part(source, 0)
    noisy, rates = part.extra
    clean = {tuple(x): y for x, y in zip(source.load().X, source.load().Y)}
    flips = np.array([(clean[tuple(x)] != y).sum() for x, y in zip(noisy.X, noisy.Y)])
    assert set(flips) == {0, 1}
    for rate in (0.1, 0.5):
        assert flips[rates == rate].mean() == pytest.approx(rate, abs=0.04)
    assert not rows(noisy) & (rows(part.train) | rows(part.test))


def test_repetitions_and_their_number_are_not_part_of_the_description():
    assert RandomSplit(0.2, n_repetitions=3).describe() == RandomSplit(0.2).describe()
    assert RandomSplit(0.2).describe() != RandomSplit(0.3).describe()
    assert CrossValidation(5).describe() != CrossValidation(4).describe()
    assert StandardSplit().only_seeds


def test_a_generator_has_no_standard_split():
    with pytest.raises(ValueError, match="no part 'train'"):
        StandardSplit().part(SOURCE, 0)


def test_a_generator_that_does_not_exist_is_missing():
    assert "make_nothing" in Generated("make_nothing").missing()
    assert SOURCE.missing() == ""
