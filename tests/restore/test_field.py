"""RandomMixedField: what it restores, how sure it is, and why."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from labelfield.restore import MixedGraph, MixedTable, RandomMixedField, corrupt_table
from small_tables import clean_frame, holed


@pytest.fixture(scope="module")
def clean():
    return clean_frame(300)


@pytest.fixture(scope="module")
def model(clean):
    return RandomMixedField(alpha=0.02, noise_scale=0.3, flip_rate=0.1, random_state=0).fit(clean)


def test_holes_get_values_near_the_truth(clean):
    dirty, hole = holed(clean)
    result = RandomMixedField(alpha=0.02).fit(clean).transform(dirty)
    assert (result["colour"] == clean["colour"])[hole[:, 1]].mean() > 0.9
    error = (result["height"] - clean["height"])[hole[:, 0]]
    assert np.sqrt(np.mean(error**2)) < 0.5 * clean["height"].std()


def test_noise_is_reduced_in_both_kinds(model, clean):
    table = MixedTable.from_frame(clean)
    dirty = corrupt_table(table, noise=0.3, random_state=0)
    restored = clone(model).set_params(flip_rate=0.3).fit(table).transform(dirty)

    def error(one):
        return np.sqrt(np.mean((one.continuous - table.continuous) ** 2, axis=0))

    assert (error(restored) < error(dirty)).all()
    wrong = (restored.categorical != table.categorical).mean(axis=0)
    assert (wrong < (dirty.categorical != table.categorical).mean(axis=0)).all()


def test_without_noise_observed_cells_are_never_touched(clean):
    dirty, hole = holed(clean)
    result = RandomMixedField(alpha=0.02).fit(clean).restore(dirty)
    assert not result.changed.any()
    assert_array_equal(result.filled, hole)
    assert result.changes() == []


def test_a_wrong_cell_is_found_and_leads_the_list(model, clean):
    dirty = clean.copy()
    row = int(np.flatnonzero(clean["colour"] == "red")[0])
    dirty.loc[row, "colour"] = "blue"
    result = model.restore(dirty)
    first = result.changes(1)[0]
    assert (first.row, first.column, first.before, first.after) == (row, "colour", "blue", "red")
    assert first.amount > 0.5
    surprises = [change.surprise for change in result.changes()]
    assert surprises == sorted(surprises, reverse=True)
    assert len(result.changes()) == result.changed.sum()


def test_surprise_ranks_planted_errors_even_when_cells_are_trusted(clean):
    dirty = clean.copy()
    dirty.loc[5, "height"] = dirty["height"].mean() + 8 * dirty["height"].std()
    dirty.loc[9, "colour"] = "red" if clean.loc[9, "colour"] != "red" else "blue"
    surprise = RandomMixedField(alpha=0.02).fit(clean).restore(dirty).surprise
    assert np.argmax(surprise[:, 0]) == 5
    assert surprise[9, 1] > np.quantile(surprise[:, 1], 0.95)


def test_surprise_is_a_tail_probability():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=400), rng.integers(0, 2, 400)])
    model = RandomMixedField(categorical=[1], alpha=10.0).fit(X)
    result = model.restore(np.array([[X[:, 0].mean() + 1.959964 * X[:, 0].std(), 1.0]]))
    assert_allclose(10 ** -result.surprise[0, 0], 0.05, atol=1e-3)
    assert_allclose(10 ** -result.surprise[0, 1], min(1.0, X[:, 1].mean()), atol=0.55)


def test_std_covers_the_truth_as_often_as_it_says(clean):
    train, test = clean.iloc[:200], clean.iloc[200:].reset_index(drop=True)
    dirty = test.assign(height=np.nan)
    result = RandomMixedField(alpha=0.02).fit(train).restore(dirty, return_std=True)
    z = (result.table["height"] - test["height"]) / result.std[:, 0]
    assert 0.55 < (np.abs(z) < 1).mean() < 0.85
    assert (np.abs(z) < 2).mean() > 0.88
    assert np.isnan(result.std[:, 1]).all()


def test_probabilities_belong_to_the_states(model, clean):
    dirty, _ = holed(clean)
    result = model.restore(dirty, return_proba=True)
    proba = result.proba["colour"]
    assert_allclose(proba.sum(axis=1), 1.0)
    best = np.array(result.states["colour"])[proba.argmax(axis=1)]
    assert_array_equal(best, result.table["colour"].to_numpy())
    assert model.restore(dirty).proba is None


def test_noise_may_differ_by_column_and_is_in_column_units(clean):
    model = RandomMixedField(alpha=0.02, noise_scale={"count": 5.0}, flip_rate={"colour": 0.2})
    dirty = clean.copy()
    row = int(np.flatnonzero(clean["colour"] == "red")[0])
    dirty.loc[row, ["colour", "tall"]] = ["blue", True]
    result = model.fit(clean).restore(dirty)
    changed = result.changed.any(axis=0)
    assert result.table.loc[row, "colour"] == "red"
    assert changed.tolist() == [False, True, True, False, False]
    assert_allclose(result.noise_scale["count"], 5.0)
    assert result.noise_scale["height"] == 0.0
    assert_allclose([result.flip_rate[c] for c in ("colour", "tall")], [0.2, 0.0])


def test_the_same_seed_gives_the_same_answer(clean):
    dirty, _ = holed(clean)
    results = [
        RandomMixedField(random_state=3, noise_scale=0.1).fit(clean).transform(dirty)["height"]
        for _ in range(2)
    ]
    assert_array_equal(results[0], results[1])


def test_column_order_does_not_matter(clean):
    dirty, _ = holed(clean)
    order = ["size", "count", "tall", "height", "colour"]
    one = RandomMixedField(alpha=0.02, tol=1e-6, max_iter=9000).fit(clean).transform(dirty)
    other = RandomMixedField(alpha=0.02, tol=1e-6, max_iter=9000).fit(clean[order])
    assert_allclose(other.transform(dirty[order])["height"], one["height"], atol=1e-3)


def test_mean_field_and_collapsed_agree_roughly(clean):
    dirty, hole = holed(clean)
    model = RandomMixedField(alpha=0.02).fit(clean)
    one = model.transform(dirty)
    other = model.set_params(inference="mean_field").transform(dirty)
    assert (one["colour"] == other["colour"]).mean() > 0.97
    assert_allclose(one["height"], other["height"], atol=0.5)


def test_training_may_have_holes(clean):
    dirty, hole = holed(clean, 0.3)
    full = RandomMixedField(alpha=0.02).fit(clean).transform(dirty)
    own = RandomMixedField(alpha=0.02).fit(dirty).transform(dirty)

    def error(one):
        return np.sqrt(np.mean((one["height"] - clean["height"])[hole[:, 0]] ** 2))

    assert error(own) < 1.25 * error(full)


def test_running_out_of_iterations_warns(clean):
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        RandomMixedField(alpha=0.01, max_iter=3).fit(clean)


def test_the_graph_names_what_informs_what(model, clean):
    graph = model.graph_
    assert graph.kinds == ("numeric", "categorical", "numeric", "categorical", "categorical")
    assert graph.neighbors("colour")[0][0] in ("height", "count", "size")
    first = graph.edges()[0]
    assert first[2] == graph.weights.max()
    network = graph.to_networkx()
    assert network.number_of_edges() == len(graph.edges())
    assert network.nodes["tall"]["kind"] == "categorical"
    with pytest.raises(ValueError, match="no column 'weight'"):
        graph.neighbors("weight")


def test_the_graph_can_be_drawn(model):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    ax = model.graph_.plot(max_edges=4)
    assert len(ax.lines) == min(4, len(model.graph_.edges()))
    assert {text.get_text() for text in ax.texts} == set(model.graph_.names)
    plt.close(ax.figure)


def test_coupled_columns_are_drawn_close_together():
    ring = [0, 3, 1, 4, 2, 5]
    weights = np.zeros((6, 6))
    for first, second in zip(ring, ring[1:] + ring[:1]):
        weights[first, second] = weights[second, first] = 1.0
    graph = MixedGraph(tuple("abcdef"), ("numeric",) * 6, weights)
    place = graph._circle()
    distance = np.linalg.norm(place[:, None] - place, axis=2)
    assert_allclose(distance[weights > 0], 1.0)


@pytest.mark.parametrize("size", [1, 2])
def test_tiny_graphs_can_be_drawn(size):
    graph = MixedGraph(tuple("ab")[:size], ("constant",) * size, np.zeros((size, size)))
    assert_allclose(np.linalg.norm(graph._circle(), axis=1), 1.0)


def test_contributions_to_a_number_add_up_to_it(model, clean):
    dirty, hole = holed(clean)
    restored = model.transform(dirty)["height"]
    for row in (int(np.flatnonzero(hole[:, 0])[0]), int(np.flatnonzero(~hole[:, 0])[0])):
        answer = model.explain(dirty, row, "height")
        total = answer.baseline + sum(amount for _, amount in answer.contributions)
        assert_allclose(total, answer.restored, rtol=1e-6)
        assert_allclose(answer.restored, restored[row], atol=1e-3)
        named = [name for name, _ in answer.contributions]
        assert ("(observed value)" in named) is not hole[row, 0]


def test_contributions_to_a_category_speak_for_the_correction(model, clean):
    dirty = clean.copy()
    row = int(np.flatnonzero(clean["colour"] == "red")[0])
    dirty.loc[row, "colour"] = "blue"
    answer = model.explain(dirty, row, "colour")
    assert (answer.observed, answer.restored, answer.against) == ("blue", "red", "blue")
    parts = dict(answer.contributions)
    assert parts["(observed value)"] < 0
    assert answer.baseline + sum(parts.values()) > 0
    amounts = [abs(amount) for _, amount in answer.contributions]
    assert amounts == sorted(amounts, reverse=True)


def test_explaining_a_row_or_column_that_is_not_there(model, clean):
    with pytest.raises(ValueError, match="row must be below 300"):
        model.explain(clean, 300, "height")
    with pytest.raises(ValueError, match="no column 'weight'"):
        model.explain(clean, 0, "weight")
