"""LSG21 against lassos of single and of several labels: graphs without edges and of one edge."""

import numpy as np
from lab.comparators.lsg21 import GraphStructuredSparsity, most_similar
from scipy.optimize import minimize
from sklearn.linear_model import Lasso, MultiTaskLasso

from comparator_contract import keeps_promises
from labelfield.datasets import make_multilabel

ALPHA = 12.0  # leaves some features out


def test_two_labels_and_their_edge_are_a_multi_task_lasso():
    data = make_multilabel(n_samples=150, n_labels=2, random_state=1)
    ours = GraphStructuredSparsity(alpha=ALPHA, n_neighbors=1, tol=1e-12).fit(data.X, data.Y)
    other = MultiTaskLasso(alpha=ALPHA / 150, tol=1e-10, max_iter=100_000)
    other.fit(data.X, data.Y.astype(float))
    np.testing.assert_allclose(ours.coef_, other.coef_.T, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-4)
    assert (np.abs(other.coef_) == 0).any()  # the norm does choose features


def test_labels_without_edges_are_lassos():
    data = make_multilabel(n_samples=150, n_labels=3, random_state=2)
    ours = GraphStructuredSparsity(alpha=ALPHA, n_neighbors=0, tol=1e-12).fit(data.X, data.Y)
    lasso = Lasso(alpha=ALPHA / 150, tol=1e-10, max_iter=100_000)
    expected = [lasso.fit(data.X, y).coef_.copy() for y in data.Y.T.astype(float)]
    np.testing.assert_allclose(ours.coef_.T, expected, atol=1e-4)


def test_labels_of_several_edges_attain_the_least_objective():
    data = make_multilabel(n_samples=80, n_labels=4, random_state=3)
    X, Y = data.X - data.X.mean(axis=0), data.Y - data.Y.mean(axis=0)
    model = GraphStructuredSparsity(alpha=3.0, n_neighbors=2, tol=1e-12).fit(data.X, data.Y)
    assert len(model.edges_) >= 4

    def objective(flat, smooth=1e-5):
        W = flat.reshape(model.coef_.shape)
        residual = X @ W - Y
        gradient = X.T @ residual
        value = 0.5 * np.sum(residual**2)
        for edge in model.edges_:
            length = np.sqrt(np.square(W[:, edge]).sum(axis=1, keepdims=True) + smooth**2)
            value += 3.0 * length.sum()
            gradient[:, edge] += 3.0 * W[:, edge] / length
        return value, gradient.ravel()

    found = minimize(
        objective, np.zeros(model.coef_.size), jac=True, method="L-BFGS-B",
        options={"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-9},
    )  # fmt: skip
    ours = objective(model.coef_.ravel())[0]
    assert ours <= found.fun * (1 + 1e-5)


def test_objective_never_rises():
    data = make_multilabel(n_samples=80, n_labels=5, random_state=4)
    trace = GraphStructuredSparsity(tol=1e-9).fit(data.X, data.Y).trace_
    assert trace.reason == "converged"
    assert (np.diff(trace.objective) <= 1e-9 * trace.objective[0]).all()


def test_edges_lead_to_labels_of_the_same_rows():
    Y = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1], [1, 0, 0, 1]])
    np.testing.assert_array_equal(most_similar(Y, 1), [[0, 1], [2, 3]])
    assert most_similar(Y[:, :1], 2).shape == (0, 2)


def test_contract():
    keeps_promises(GraphStructuredSparsity())
