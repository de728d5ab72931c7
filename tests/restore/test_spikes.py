"""Ends of number columns where many rows stand, and what their nodes add to the field."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from labelfield.restore import Noise, RandomMixedField
from labelfield.restore.shape import FieldShape
from labelfield.restore.spikes import Spikes
from labelfield.restore.tables.codec import EncodedTable


def table_of(*columns):
    numbers = np.column_stack(columns).astype(float)
    return EncodedTable(numbers, np.zeros((len(numbers), 0), dtype=np.int64))


def debts(n=400, seed=0):
    """A number that is 0 or above, a category of those at 0 or above 1, one of luck."""
    rng = np.random.default_rng(seed)
    number = np.where(rng.random(n) < 0.5, 0.0, np.exp(rng.normal(size=n)))
    free = (number == 0.0) | (number > 1.0)
    return np.column_stack([number, free, rng.integers(0, 2, n)])


@pytest.fixture(scope="module")
def model():
    return RandomMixedField(categorical=[1, 2], alpha=0.02, random_state=0).fit(debts())


@given(
    st.lists(
        st.one_of(st.sampled_from([np.nan, 0.0, 1.0]), st.integers(2, 12).map(float)),
        min_size=10,
        max_size=60,
    ),
    st.sampled_from([0.2, 0.5, 1.0]),
)
def test_a_spike_is_what_counting_finds(cells, share):
    found = Spikes.find(table_of(cells), share)
    known = [cell for cell in cells if not np.isnan(cell)]
    counts = {value: known.count(value) for value in known}
    ends = [min(known), max(known)] if known else []
    frequent = [v for v in ends if counts[v] >= share * len(known)]
    if len(counts) < 10 or not frequent:
        assert len(found) == 0
    else:
        assert found.columns.tolist() == [0]
        assert found.values[0] in ends
        assert counts[found.values[0]] == max(counts[end] for end in ends)


def test_no_share_means_no_spikes():
    assert len(Spikes.find(table_of([0] * 20 + [*range(12)]), None)) == 0


def test_a_spike_is_seen_where_its_number_is_seen_and_trusted():
    table = table_of([0, 0, 1, 2, np.nan], [5, 6, 7, 7, 7])
    spikes = Spikes(np.array([0, 1]), np.array([0.0, 7.0]))
    assert_array_equal(spikes.node_cells(table).codes.T, [[1, 1, 0, 0, -1], [0, 0, 1, 1, 1]])
    codes = spikes.node_cells(table, trusted=np.array([True, False])).codes
    assert_array_equal(codes.T, [[1, 1, 0, 0, -1], [-1] * 5])


def test_spikes_come_behind_the_categories():
    spikes = Spikes(np.array([1]), np.array([0.0]))
    assert spikes.node_shape(FieldShape(2, (3,))).n_states == (3, 2)
    noise = spikes.node_noise(Noise.uniform(FieldShape(2, (3,)), 0.1, 0.2))
    assert_array_equal(noise.transition[1], np.eye(2))
    assert_allclose(noise.flip_rate, [0.2, 0.0])


def test_a_number_is_apart_from_its_own_spike(model):
    net = model.net_
    assert_array_equal(net.mixed[0, -2:], 0.0)
    assert (net.pair[-2:, :2] != 0.0).any()


def test_missing_numbers_are_filled_as_well_as_without_spikes():
    # a ladder of values, the top one frequent: coupled to its number, the node would mislead it
    rng = np.random.default_rng(0)
    group = rng.normal(size=900)
    number = np.clip(np.round(6 + 5 * (group + rng.normal(size=900))), -8, 9)
    rows = np.column_stack([number, group + 0.5 * rng.normal(size=900)])
    dirty = rows[600:].copy()
    dirty[:, 0] = np.nan
    errors = []
    for share in (None, 0.2):
        model = RandomMixedField(alpha=0.01, spike_share=share).fit(rows[:600])
        errors.append(np.sqrt(np.mean((model.transform(dirty)[:, 0] - number[600:]) ** 2)))
    assert len(model._spikes) == 1
    assert errors[1] < 1.02 * errors[0]


def test_a_category_that_only_the_spike_shows_is_filled(model):
    clean = debts(seed=1)
    dirty = clean.copy()
    dirty[:, 1] = np.nan
    plain = RandomMixedField(categorical=[1, 2], alpha=0.02, spike_share=None).fit(debts())
    errors = [(m.transform(dirty)[:, 1] != clean[:, 1]).mean() for m in (plain, model)]
    assert errors[0] > 0.2
    assert errors[1] < 0.1


def test_noisy_numbers_hide_their_spikes(model):
    noisy = RandomMixedField(categorical=[1, 2], alpha=0.02, noise_scale=0.3).fit(debts())
    dirty = np.array([[0.0, np.nan, 1.0]])
    sure, unsure = (m.restore(dirty, return_proba=True).proba[1][0, 1] for m in (model, noisy))
    assert sure > 0.95
    assert unsure < 0.9


def test_results_speak_of_columns_only(model):
    result = model.restore(debts(30, seed=2), return_proba=True, return_std=True)
    assert {part.shape for part in (result.surprise, result.amount, result.std)} == {(30, 3)}
    assert {column: p.shape for column, p in result.proba.items()} == {1: (30, 2), 2: (30, 2)}
    assert_allclose(result.proba[1].sum(axis=1), 1.0)
    assert list(result.flip_rate) == [1, 2]


def test_the_graph_joins_a_spike_to_its_column(model):
    assert model.graph_.names == (0, 1, 2)
    assert model.graph_.edges()[0][:2] == (0, 1)
    assert_array_equal(np.diag(model.graph_.weights), 0.0)


def test_an_explanation_names_the_spike(model):
    why = model.explain(np.array([[0.0, np.nan, 1.0]]), row=0, column=1)
    assert why.contributions[0][0] == "0 = 0"
    assert (why.restored, why.against) == (1.0, 0.0)
    number = model.explain(np.array([[np.nan, 1.0, 1.0]]), row=0, column=0)
    assert_allclose(
        number.baseline + sum(part for _, part in number.contributions), number.restored
    )


def test_noise_is_estimated_with_spikes_hidden():
    rng = np.random.default_rng(3)
    clean = debts(600)
    dirty = debts(300, seed=4)
    dirty[:, 0] += 0.4 * clean[:, 0].std() * rng.normal(size=300)
    model = RandomMixedField(categorical=[1, 2], alpha=0.02, noise_scale="estimate", random_state=0)
    result = model.fit(clean).restore(dirty)
    assert_allclose(result.noise_scale[0] / clean[:, 0].std(), 0.4, atol=0.12)
    assert_array_equal(result.table[:, 1:], dirty[:, 1:])


def test_a_share_that_is_none_is_refused():
    for share in (0, 1.5, "auto"):
        with pytest.raises(ValueError, match=r"'spike_share' .* range \(0.0, 1.0\] or None"):
            RandomMixedField(spike_share=share).fit(debts(40))


def test_one_row_and_rows_of_nothing_are_restored(model):
    nothing = np.full((2, 3), np.nan)
    assert np.isfinite(model.transform(nothing)).all()
    assert_array_equal(model.transform(nothing[:1]), model.transform(nothing)[:1])
