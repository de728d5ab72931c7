"""CorrLog: optimality, special cases, awkward labels, and a classifier below it."""

import itertools

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from labelfield import (
    BinaryRelevance,
    CorrelatedLogistic,
    IntractableError,
    LabelGraph,
    PrecomputedProbabilities,
)

OBJECTIVES = ["exact", "mean_field", "pseudo", "support"]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    common = rng.normal(size=(80, 1))
    Y = (X[:, :3] + common + rng.normal(size=(80, 3)) > 0.3).astype(np.uint8)
    Y[:8] = list(itertools.product([0, 1], repeat=3))
    return X, Y


def objective_gradient(model, X, Y):
    """Gradients of the loss for weights, constants and couplings, by central differences."""
    edges = list(itertools.combinations(range(Y.shape[1]), 2))
    coupling = dict(zip(map(tuple, model.edges_.tolist()), model.coupling_))
    parts = [model.coef_.T, model.intercept_, np.array([coupling.get(e, 0.0) for e in edges])]
    S = 2.0 * Y - 1.0
    sets = np.array(list(itertools.product([-1.0, 1.0], repeat=Y.shape[1])))

    def loss(flat):
        d = X.shape[1]
        coef, constant, c = np.split(flat, [d * Y.shape[1], (d + 1) * Y.shape[1]])
        z = X @ coef.reshape(d, -1) + constant
        C = np.zeros((Y.shape[1],) * 2)
        for (a, b), w in zip(edges, c):
            C[a, b] = C[b, a] = w
        if model.objective == "pseudo":
            return np.logaddexp(0.0, -S * (z + S @ C)).sum()
        pairs = np.einsum("ml,lk,mk->m", sets, C, sets) / 2.0
        scores = 0.5 * (z @ sets.T + pairs)
        held = 0.5 * ((z * S).sum() + np.einsum("nl,lk,nk->", S, C, S) / 2.0)
        return np.logaddexp.reduce(scores, axis=1).sum() - held

    flat = np.concatenate([part.ravel() for part in parts])
    steps = 1e-5 * np.eye(len(flat))
    slope = np.array([(loss(flat + e) - loss(flat - e)) / 2e-5 for e in steps])
    return flat, slope


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
@pytest.mark.parametrize("objective", ["exact", "pseudo"])
def test_optimality_conditions_hold(data, objective, l1_ratio):
    X, Y = data
    alpha, edge_alpha, edge_ratio = 4.0, 20.0, 0.8
    model = CorrelatedLogistic(
        objective=objective,
        alpha=alpha,
        edge_alpha=edge_alpha,
        l1_ratio=l1_ratio,
        edge_l1_ratio=edge_ratio,
        tol=1e-8,
    ).fit(X, Y)
    flat, slope = objective_gradient(model, X, Y)
    strength = np.repeat([alpha, 0.0, edge_alpha], [12, 3, 3])
    ratio = np.repeat([l1_ratio, 0.0, edge_ratio], [12, 3, 3])
    slope = slope + strength * (1.0 - ratio) * flat
    zero = flat == 0.0
    assert zero.any()
    assert (~zero).any()
    excess = np.abs(slope) - strength * ratio
    at_zero = np.maximum(excess[zero], 0.0)
    elsewhere = (slope + strength * ratio * np.sign(flat))[~zero]
    assert max(at_zero.max(), np.abs(elsewhere).max()) < 1e-4


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
@pytest.mark.parametrize("objective", ["exact", "pseudo", "support"])
def test_objective_never_rises(data, objective, l1_ratio):
    X, Y = data
    model = CorrelatedLogistic(objective=objective, alpha=0.1, l1_ratio=l1_ratio, tol=1e-7)
    trace = model.fit(X, Y).trace_
    assert trace.reason == "converged"
    assert (np.diff(trace.objective) <= 0.0).all()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_without_edges_it_is_binary_relevance(data, objective):
    X, Y = data
    alone = BinaryRelevance(alpha=2.0, l1_ratio=0.3, tol=1e-9).fit(X, Y)
    model = CorrelatedLogistic(
        objective=objective, alpha=2.0, edge_alpha=1e6, l1_ratio=0.3, tol=1e-9
    ).fit(X, Y)
    assert model.edges_.shape == (0, 2)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, alone.intercept_, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-5)


def test_support_is_exact_where_every_set_was_seen(data):
    X, Y = data
    exact, support = (
        CorrelatedLogistic(objective=objective, alpha=0.5, tol=1e-8).fit(X, Y)
        for objective in ("exact", "support")
    )
    np.testing.assert_allclose(support.coupling_, exact.coupling_, atol=1e-5)
    np.testing.assert_allclose(support.predict_proba(X), exact.predict_proba(X), atol=1e-5)


def test_support_predicts_seen_sets_only(data):
    X, Y = data
    Y[:, 2] = Y[:, 0] & Y[:, 1]
    model = CorrelatedLogistic(objective="support").fit(X, Y)
    assert {tuple(y) for y in model.predict(X)} <= {tuple(y) for y in Y}
    assert len(model.sets_) == 4


def test_auto_is_exact_for_few_labels_and_lists_seen_sets_for_many():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    Y = (rng.random((60, 30)) < 0.1).astype(np.uint8)
    assert CorrelatedLogistic(tol=0.1).fit(X, Y[:, :3]).objective_ == "exact"
    assert CorrelatedLogistic(tol=0.1).fit(X, Y).objective_ == "support"


def test_graph_has_the_signs_of_the_dependence():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    a = rng.random(300) < 0.5
    Y = np.stack([a, a ^ (rng.random(300) < 0.1), ~a ^ (rng.random(300) < 0.2)], axis=1)
    graph = CorrelatedLogistic(edge_alpha=10.0).fit(X, Y.astype(int)).label_graph_
    assert isinstance(graph, LabelGraph)
    found = [(a, b, np.sign(w)) for a, b, w in graph.strongest(2).edges()]
    assert found == [("y0", "y1", 1), ("y0", "y2", -1)]


def test_path_equals_separate_fits_and_loses_edges(data):
    X, Y = data
    model = CorrelatedLogistic(alpha=1.0, tol=1e-8)
    path = model.path(X, Y, edge_alphas=[0.5, 5.0, 20.0, 50.0])
    assert [one.edge_alpha for one in path] == [50.0, 20.0, 5.0, 0.5]
    assert (np.diff([len(one.edges_) for one in path]) >= 0).all()
    assert len(path[0].edges_) < len(path[-1].edges_)
    for one in path:
        cold = CorrelatedLogistic(alpha=1.0, edge_alpha=one.edge_alpha, tol=1e-8).fit(X, Y)
        np.testing.assert_allclose(one.predict_proba(X), cold.predict_proba(X), atol=1e-5)
    assert sum(one.n_iter_ for one in path[1:]) < 3 * cold.n_iter_


def test_constants_are_penalised_on_request(data):
    X, Y = data
    free, drawn = (
        CorrelatedLogistic(alpha=20.0, penalize_intercept=switch, tol=1e-8).fit(X, Y)
        for switch in (False, True)
    )
    assert (np.abs(drawn.intercept_) < np.abs(free.intercept_)).all()


def test_field_on_a_classifier_improves_its_likelihood(data):
    X, Y = data
    below = BinaryRelevance(SVC())
    model = CorrelatedLogistic(below, alpha=0.1).fit(X, Y)
    alone = below.fit(X, Y).predict_joint(X).log_prob(Y).mean()
    assert model.predict_joint(X).log_prob(Y).mean() > alone
    assert len(model.edges_) == 3


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_very_strong_penalty_leaves_the_classifier_alone(data, objective):
    X, Y = data
    P = np.random.default_rng(0).uniform(0.1, 0.9, Y.shape)
    model = CorrelatedLogistic(
        PrecomputedProbabilities(), objective=objective, alpha=1e6, penalize_intercept=True
    ).fit(P, Y)
    np.testing.assert_allclose(model.coef_, 1.0, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(P), P, atol=1e-3)


def test_classifiers_of_scikit_learn(data):
    X, Y = data
    model = CorrelatedLogistic(RandomForestClassifier(5, random_state=0)).fit(X, Y)
    p = model.predict_proba(X)
    assert p[Y == 1].mean() > p[Y == 0].mean() + 0.1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # mean field may jump
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", ["identical", "exclusive", "constant", "one"])
def test_awkward_labels(data, kind, objective):
    X, Y = data
    Y = {
        "identical": lambda: np.column_stack([Y, Y[:, 0]]),
        "exclusive": lambda: np.eye(3, dtype=int)[X[:, :3].argmax(axis=1)],
        "constant": lambda: np.column_stack([Y[:, 0], np.zeros(len(Y)), np.ones(len(Y))]),
        "one": lambda: Y[:, :1],
    }[kind]()
    model = CorrelatedLogistic(objective=objective, alpha=0.5, max_iter=300).fit(X, Y)
    assert np.isfinite(model.coef_).all()
    answer, coupling = model.predict(X), dict(zip(map(tuple, model.edges_), model.coupling_))
    if kind == "identical":
        assert objective == "support" or coupling[0, 3] > 0.5
        assert (answer[:, 0] == answer[:, 3]).all()
    if kind == "exclusive":
        assert all(weight < 0 for weight in coupling.values())
        assert (answer.sum(axis=1) == 1).mean() > 0.9
    if kind == "constant":
        assert (answer[:, 1:] == [0, 1]).all()
    if kind in ("constant", "one"):
        assert not coupling


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_labels_that_all_stay_the_same(data, objective):
    X, _ = data
    Y = np.tile([0, 1, 1], (len(X), 1))
    model = CorrelatedLogistic(objective=objective).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)
    assert model.predict_proba(X[:1])[0, 1] == pytest.approx(
        80.5 / 81.0 if objective != "support" else 1.0
    )


@pytest.mark.parametrize("objective", ["exact", "pseudo"])
def test_separable_labels_without_a_penalty_warn_and_stay_finite(objective):
    X = np.linspace(-1.0, 1.0, 20)[:, None]
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] > 0, X[:, 0] > 0.5]).astype(int)
    with pytest.warns(ConvergenceWarning, match="separates y0, y1.* alpha=0 .* no optimum"):
        model = CorrelatedLogistic(objective=objective, alpha=0.0).fit(X, Y)
    assert np.isfinite(model.predict_proba(X)).all()
    if objective == "exact":
        np.testing.assert_array_equal(model.predict(X), Y)


def test_running_out_of_iterations_warns(data):
    with pytest.warns(ConvergenceWarning, match="max_iter=2 iterations.*alpha=1.0"):
        CorrelatedLogistic(alpha=1.0, max_iter=2, tol=1e-9).fit(*data)


def test_bad_input(data):
    X, Y = data
    many = np.tile(Y, 7)
    with pytest.raises(IntractableError, match="up to 20 labels, here are 21. Use 'support'"):
        CorrelatedLogistic(objective="exact").fit(X, many)
    for parameters, message in (
        ({"alpha": -1}, "'alpha' parameter"),
        ({"edge_alpha": -1}, "'edge_alpha' parameter"),
        ({"l1_ratio": 2}, "'l1_ratio' parameter"),
        ({"edge_l1_ratio": -1}, "'edge_l1_ratio' parameter"),
        ({"objective": "best"}, "'objective' parameter.*Got 'best'"),
        ({"estimator": LinearSVC()}, "no predict_proba"),
    ):
        with pytest.raises(ValueError, match=message):
            CorrelatedLogistic(**parameters).fit(X, Y)
