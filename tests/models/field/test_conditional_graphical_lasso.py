"""CGL: optimality, special cases, the path, and graphs that depend on the row."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

from labelfield import BinaryRelevance, ConditionalGraphicalLasso, CorrelatedLogistic
from labelfield.models.field.likelihoods import LIKELIHOODS
from labelfield.models.field.terms import FeatureTerms

OBJECTIVES = ["exact", "mean_field", "pseudo", "support"]


@pytest.fixture
def data():
    """Two labels that agree where the first feature is positive and differ where it is not."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    first, third = rng.random(150) < 0.5, rng.random(150) < 0.4
    agrees = rng.random(150) < np.where(X[:, 0] > 0, 0.9, 0.1)
    return X, np.column_stack([first, first == agrees, third]).astype(np.uint8)


def fit(X, Y, **parameters):
    return ConditionalGraphicalLasso(**{"alpha": 1.0, "tol": 1e-7, **parameters}).fit(X, Y)


@pytest.mark.parametrize("objective", ["exact", "pseudo", "support"])
def test_optimality_conditions_hold(data, objective):
    X, Y = data
    edge_alpha = 25.0
    model = fit(X, Y, objective=objective, edge_alpha=edge_alpha)
    edges = np.array([(0, 1), (0, 2), (1, 2)])
    theta = np.zeros((4, 3))
    kept = [edges.tolist().index(pair) for pair in model.edges_.tolist()]
    assert 0 < len(kept) < 3
    theta[:, kept] = np.vstack([model.edge_coef_.T, model.edge_intercept_])
    field = X @ model.coef_.T + model.intercept_
    couplings = np.column_stack([X, np.ones(len(X))]) @ theta
    _, slope, pair_slope = LIKELIHOODS[objective](Y, edges).evaluate(field, couplings)
    weights = X.T @ slope + model.coef_.T
    assert max(np.abs(weights).max(), np.abs(slope.sum(axis=0)).max()) < 1e-4
    pulls = FeatureTerms(X, 3).gradient(pair_slope)
    for e in range(3):
        norm = np.linalg.norm(theta[:, e])
        if norm == 0.0:
            assert np.linalg.norm(pulls[:, e]) <= edge_alpha
        else:
            assert np.abs(pulls[:, e] + edge_alpha * theta[:, e] / norm).max() < 1e-4


@pytest.mark.parametrize("objective", ["exact", "pseudo", "support"])
def test_objective_never_rises(data, objective):
    trace = fit(*data, objective=objective).trace_
    assert trace.reason == "converged"
    assert (np.diff(trace.objective) <= 0.0).all()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_without_edges_it_is_binary_relevance(data, objective):
    X, Y = data
    model = fit(X, Y, objective=objective, edge_alpha=1e6)
    alone = BinaryRelevance(alpha=1.0, tol=1e-8).fit(X, Y)
    assert len(model.edges_) == 0
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("objective", ["exact", "pseudo", "support"])
def test_without_features_couplings_are_those_of_correlated_logistic(data, objective):
    _, Y = data
    X = np.zeros((len(Y), 1))
    model = fit(X, Y, objective=objective, edge_alpha=2.0)
    other = CorrelatedLogistic(
        objective=objective, alpha=1.0, edge_alpha=2.0, edge_l1_ratio=1.0, tol=1e-7
    ).fit(X, Y)
    np.testing.assert_allclose(model.coupling_, other.coupling_, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # mean field may jump
def test_the_graph_of_a_row_depends_on_it(data, objective):
    X, Y = data
    model = fit(X, Y, objective=objective, edge_alpha=5.0, tol=1e-4, max_iter=500)
    agree, differ = np.array([2.0, 0.0, 0.0]), np.array([-2.0, 0.0, 0.0])
    assert dict(model.label_graph(agree).neighbors("y0"))["y1"] > 1.0
    assert dict(model.label_graph(differ).neighbors("y0"))["y1"] < -1.0
    assert model.label_graph(sp.csr_matrix(agree)).edges() == model.label_graph(agree).edges()
    average = model.label_graph_.matrix()
    rows = np.mean([model.label_graph(x).matrix() for x in X], axis=0)
    np.testing.assert_allclose(average, rows, atol=1e-10)
    with pytest.raises(ValueError, match="one row; x has 150"):
        model.label_graph(X)


def test_beats_fixed_couplings_where_they_depend_on_the_features(data):
    X, Y = data
    conditional = fit(X, Y, edge_alpha=3.0).predict_joint(X).log_prob(Y).mean()
    fixed = CorrelatedLogistic(alpha=1.0).fit(X, Y).predict_joint(X).log_prob(Y).mean()
    assert conditional > fixed + 0.1


def test_path_adds_edges_as_the_penalty_falls(data):
    X, Y = data
    path = ConditionalGraphicalLasso(alpha=1.0, tol=1e-7).path(
        X, Y, edge_alphas=[30.0, 15.0, 8.0, 1.0]
    )
    n_edges = [len(model.edges_) for model in path]
    assert n_edges == sorted(n_edges)
    assert n_edges[0] < n_edges[-1] == 3
    for model in path:
        cold = fit(X, Y, edge_alpha=model.edge_alpha)
        np.testing.assert_allclose(model.predict_proba(X), cold.predict_proba(X), atol=1e-5)


def test_field_on_a_classifier(data):
    X, Y = data
    model = ConditionalGraphicalLasso(BinaryRelevance(SVC()), edge_alpha=5.0).fit(X, Y)
    assert model.coef_.shape == (3, 1)
    alone = BinaryRelevance(SVC()).fit(X, Y).predict_joint(X).log_prob(Y).mean()
    assert model.predict_joint(X).log_prob(Y).mean() > alone


def test_many_labels_are_fitted_by_pseudo_likelihood():
    rng = np.random.default_rng(0)
    Y = (rng.random((40, 25)) < 0.2).astype(int)
    model = ConditionalGraphicalLasso(edge_alpha=1e6, tol=0.1).fit(rng.normal(size=(40, 2)), Y)
    assert model.objective_ == "pseudo"


def test_bad_input(data):
    X, Y = data
    with pytest.raises(ValueError, match="'edge_alpha' parameter"):
        ConditionalGraphicalLasso(edge_alpha=-2).fit(X, Y)
