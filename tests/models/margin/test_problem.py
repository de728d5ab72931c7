"""The dual solver against the definition of the problem and against a general solver."""

from itertools import combinations, product

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from labelfield.datasets import make_star_cliques
from labelfield.models.margin.problem import MarginProblem

PAIRS = [(0, 1), (0, 2), (1, 2)]


def small_problem(n=8, d=2, seed=0, alpha=0.05):
    rng = np.random.default_rng(seed)
    psi = np.hstack([rng.normal(size=(n, d)), np.ones((n, 1))])
    Y = (rng.random((n, 3)) < 0.5).astype(np.uint8)
    return MarginProblem(psi, Y, alpha, np.random.default_rng(1)), psi, Y


def indicators(y, cliques):
    """Which state every label and every clique is in: the textbook features of a label set."""
    parts = [np.eye(2)[state] for state in y]
    for clique in cliques:
        code = int("".join(str(y[label]) for label in clique), 2)
        parts.append(np.eye(2 ** len(clique))[code])
    return np.concatenate(parts)


def textbook(psi, Y, groups, rho, alpha):
    """Solve by sequential quadratic programming over weights, group lengths and slacks."""
    cliques = [clique for group in groups for clique in group]
    n_labels, d = Y.shape[1], psi.shape[1]
    all_sets = list(product((0, 1), repeat=n_labels))
    features = np.array([indicators(y, cliques) for y in all_sets])
    true = np.array([indicators(tuple(y), cliques) for y in Y])
    losses = np.array([[sum(a != b for a, b in zip(s, y)) for s in all_sets] for y in Y])
    n_states = features.shape[1]
    bounds = np.cumsum([2 * n_labels] + [sum(2 ** len(c) for c in group) for group in groups])

    def split(x):
        return x[: n_states * d].reshape(n_states, d), x[n_states * d :]

    def objective(x):
        W, slacks = split(x)
        blocks = np.split(W, bounds[:-1])[1:] if groups else []
        lengths = np.array([np.sqrt((b**2).sum() + 1e-14) for b in blocks])
        omega = 0.5 * (W[: 2 * n_labels] ** 2).sum()
        omega += 0.5 * rho * (lengths**2).sum() + 0.5 * lengths.sum() ** 2
        return alpha * omega + slacks.mean()

    def margins(x):
        W, slacks = split(x)
        scores = psi @ W.T
        gain = (scores * true).sum(axis=1)[:, None] - scores @ features.T
        return (slacks[:, None] + gain - losses).ravel()

    start = np.concatenate([np.full(n_states * d, 0.01), np.full(len(Y), float(n_labels))])
    found = minimize(
        objective,
        start,
        constraints={"type": "ineq", "fun": margins},
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-9},
    )
    return found.fun


@pytest.mark.parametrize(
    ("groups", "rho"), [([], 0.0), ([[(0, 1)]], 0.0), ([[(0, 1)], [(1, 2)]], 0.5)]
)
def test_the_optimum_is_that_of_a_general_solver(groups, rho):
    problem, psi, Y = small_problem(n=6, d=1)
    problem.use(groups, rho)
    trace = problem.solve(1e-7, 5000)
    assert trace.reason == "converged"
    np.testing.assert_allclose(problem.primal(), textbook(psi, Y, groups, rho, 0.05), rtol=1e-4)


def test_weights_of_a_triple_are_those_of_its_states():
    problem, psi, Y = small_problem(n=5, d=1, alpha=0.2)
    problem.use([[(0, 1, 2)]], 0.0)
    problem.solve(1e-7, 5000)
    expected = textbook(psi, Y, [[(0, 1, 2)]], 0.0, 0.2)
    np.testing.assert_allclose(problem.primal(), expected, rtol=1e-4)


def test_without_cliques_every_label_is_a_machine_of_its_own():
    problem, psi, Y = small_problem(n=12, d=2)
    problem.solve(1e-8, 5000)
    total = 0.0
    for label in range(3):
        sign = 2.0 * Y[:, label] - 1.0

        # The two weight vectors of a label are opposite: u and -u, so the score is 2 u . psi.
        def objective(x, sign=sign):
            u, slacks = x[:3], x[3:]
            return 0.05 * u @ u + slacks.mean()

        def margins(x, sign=sign):
            return np.concatenate([x[3:] - 1.0 + 2.0 * sign * (psi @ x[:3]), x[3:]])

        constraint = {"type": "ineq", "fun": margins}
        found = minimize(objective, np.ones(15), constraints=constraint, options={"ftol": 1e-10})
        total += found.fun
    np.testing.assert_allclose(problem.primal(), total, rtol=1e-5)


@pytest.mark.parametrize(
    "groups", [[], [PAIRS], [[pair] for pair in PAIRS], [[(0, 1, 2)], [(0, 1)]]]
)
def test_the_dual_rises_and_stays_below_the_primal(groups):
    problem, _, _ = small_problem(n=30, d=3, alpha=0.01)
    problem.use(groups, 0.1)
    last = problem.dual()
    for _ in range(40):
        problem.sweep()
        assert problem.dual() >= last - 1e-12
        last = problem.dual()
        assert problem.primal() >= last - 1e-12
    kept = problem.image.copy()
    problem.refresh()
    np.testing.assert_allclose(problem.image, kept, atol=1e-10)


def test_gaps_of_the_rows_add_up_to_the_duality_gap():
    problem, _, _ = small_problem(n=1, d=3, alpha=0.5)
    problem.use([PAIRS], 0.1)
    problem.sweep()
    gap = problem.primal() - problem.dual()
    problem.sweep()
    np.testing.assert_allclose(problem.gaps.mean(), gap, atol=1e-12)


def test_dual_variables_stay_feasible_when_cliques_are_added_and_dropped():
    problem, _, _ = small_problem(n=30, d=3, alpha=0.01)
    problem.solve(1e-3, 500)
    alone = problem.dual()
    problem.use([[(0, 1)]], 0.1)
    assert problem.dual() <= alone
    assert problem.primal() >= problem.dual()
    problem.use([], 0.0)
    np.testing.assert_allclose(problem.dual(), alone, rtol=1e-12)
    np.testing.assert_allclose(problem.duals.weights.sum(axis=1), 1.0, rtol=1e-12)
    assert (problem.duals.weights >= 0).all()


def test_sparse_features_give_the_same_solution():
    dense, psi, Y = small_problem(n=20, d=4, alpha=0.5)
    psi[psi < -0.5] = 0.0
    sparse = MarginProblem(sp.csr_matrix(psi), Y, 0.5, np.random.default_rng(1))
    dense = MarginProblem(psi, Y, 0.5, np.random.default_rng(2))
    for problem in (dense, sparse):
        problem.use([PAIRS], 0.1)
        assert problem.solve(1e-10, 5000).reason == "converged"
    np.testing.assert_allclose(sparse.weights(), dense.weights(), atol=1e-4)


def test_scores_of_cliques_are_lengths_of_their_images():
    problem, _, _ = small_problem(n=30, d=3, alpha=0.01)
    problem.solve(1e-2, 500)
    scores = problem.clique_scores(PAIRS)
    problem.use([[pair] for pair in PAIRS], 1.0)
    np.testing.assert_allclose(scores**2, problem.squares, rtol=1e-10)
    lengths = problem.clique_lengths(PAIRS)
    np.testing.assert_allclose(lengths.sum(), problem.threshold(), rtol=1e-10)


def test_the_true_edges_are_asked_for_first():
    data = make_star_cliques(400, 5, n_edges=2, random_state=0)
    psi = np.hstack([data.X, np.ones((400, 1))])
    problem = MarginProblem(psi, data.Y, 1e-3, np.random.default_rng(0))
    problem.solve(0.05, 100)
    pairs = list(combinations(range(5), 2))
    best = np.argsort(-problem.clique_scores(pairs))[:2]
    assert {pairs[k] for k in best} == {(0, 1), (0, 2)}


@pytest.mark.parametrize("tol", [0.1, 0.01, 1e-4])
def test_the_gap_bounds_the_distance_to_the_minimum(tol):
    """The objective is alpha-strongly convex in the norm of Omega: |w - w*|^2 <= 2 gap / alpha."""
    answers = []
    for goal in (tol, 1e-10):
        problem, _, _ = small_problem(n=30, alpha=0.05)
        problem.use([PAIRS], 0.0)
        problem.solve(goal, 5000)
        answers.append(problem.weights())
        if goal == tol:
            allowed = 2.0 * problem.gap * problem.primal() / problem.alpha
            assert problem.gap <= tol
    squares = np.square(answers[0] - answers[1]).sum(axis=0)
    assert 0.0 < (squares / problem._scales()).sum() <= allowed


def test_lengthened_weights_have_the_objective_that_is_said():
    """Separable rows and a weak penalty: many rows are short of their margins by little."""
    rng = np.random.default_rng(0)
    psi = rng.normal(size=(60, 30))
    Y = (psi @ rng.normal(size=(30, 3)) > 0.0).astype(np.uint8)
    problem = MarginProblem(psi, Y, 1e-3, np.random.default_rng(1))
    for _ in range(80):
        problem.sweep()
    problem.measure_gap()
    plain, penalty = problem.gap, problem.primal() - problem.slacks().mean()
    problem.measure_gap(0.1)
    assert problem.stretch > 1.0
    assert problem.gap < 0.5 * plain
    # without cliques labels go wrong one by one
    margins = 2.0 * (2.0 * Y - 1.0) * (psi @ problem.weights())
    hinge = np.maximum(1.0 - margins, 0.0).sum(axis=1).mean()
    expected = hinge + problem.stretch**2 * penalty
    np.testing.assert_allclose(problem.primal(), expected, rtol=1e-9)
    np.testing.assert_allclose(problem.gap, 1.0 - problem.dual() / expected, rtol=1e-9)
