"""The mixed pseudo-likelihood and its penalty against textbook loops and finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labelfield.optim import fista
from labelfield.restore.learning import pseudo_likelihood
from labelfield.restore.learning.pseudo_likelihood import BlockLasso, MixedPseudoLikelihood
from labelfield.restore.shape import FieldShape

SHAPE = FieldShape(2, (2, 3))


def rows(n=40, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, 2, n), rng.integers(0, 3, n)])
    numbers = rng.normal(size=(n, 2)) + codes
    states = np.hstack([np.eye(2)[codes[:, 0]], np.eye(3)[codes[:, 1]]])
    return numbers, states


def random_theta(shape, seed=1):
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=shape.n_numeric + shape.width * (1 + shape.width))
    weights = shape.split(theta)
    weights.precision[:] = np.exp(0.3 * weights.precision)
    weights.coupling[:] += weights.coupling.T.copy()
    weights.coupling[shape.uncoupled] = 0.0
    return theta


def textbook_value(theta, numbers, states, observed=None):
    """Sum of log conditionals, node by node and row by row."""
    precision, bias, coupling = SHAPE.split(theta)
    observed = np.ones((len(numbers), 4), dtype=bool) if observed is None else observed
    total = 0.0
    for node, (start, size) in enumerate(zip(SHAPE.starts, (1, 1, 2, 3))):
        kept = np.flatnonzero(observed[:, node])
        for i in kept:
            z = np.concatenate([numbers[i], states[i]])
            score = bias[start : start + size] + z @ coupling[:, start : start + size]
            if node < 2:
                w = precision[node]
                term = 0.5 * np.log(2 * np.pi / w) + 0.5 * w * (z[node] - score[0] / w) ** 2
            else:
                term = np.log(np.exp(score).sum()) - score @ z[start : start + size]
            total += term / len(kept)
    return total


@pytest.fixture(params=["complete", "holes"])
def masked(request):
    numbers, states = rows()
    if request.param == "complete":
        return numbers, states, None
    observed = np.random.default_rng(5).random((len(numbers), 4)) < 0.7
    states[~observed[:, 2], :2] = [0.3, 0.7]
    return numbers, states, observed


def test_value_is_the_sum_of_log_conditionals(masked):
    numbers, states, observed = masked
    loss = MixedPseudoLikelihood(numbers, states, SHAPE, observed=observed)
    theta = random_theta(SHAPE)
    assert_allclose(loss.value(theta), textbook_value(theta, *masked), rtol=1e-12)


def test_gradient_equals_finite_differences(masked):
    numbers, states, observed = masked
    loss = MixedPseudoLikelihood(numbers, states, SHAPE, observed=observed)
    theta = random_theta(SHAPE)
    value, gradient = loss.value_and_gradient(theta)
    assert value == loss.value(theta)
    rng = np.random.default_rng(3)
    for _ in range(10):
        step = random_theta(SHAPE, rng.integers(1000)) - random_theta(SHAPE, rng.integers(1000))
        ahead, behind = loss.value(theta + 1e-6 * step), loss.value(theta - 1e-6 * step)
        assert_allclose(gradient @ step, (ahead - behind) / 2e-6, rtol=1e-5)


def test_single_precision_follows_double():
    numbers, states = rows(200)
    theta = random_theta(SHAPE)
    double = MixedPseudoLikelihood(numbers, states, SHAPE)
    single = MixedPseudoLikelihood(numbers, states, SHAPE, dtype=np.float32)
    assert_allclose(single.value(theta), double.value(theta), rtol=1e-5)
    assert_allclose(single.value_and_gradient(theta)[1], double.gradient(theta), atol=1e-4)


def test_chunks_do_not_change_the_answer(monkeypatch):
    numbers, states = rows(50)
    theta = random_theta(SHAPE)
    loss = MixedPseudoLikelihood(numbers, states, SHAPE)
    value, gradient = loss.value_and_gradient(theta)
    monkeypatch.setattr(pseudo_likelihood, "CHUNK_ENTRIES", 7 * SHAPE.width)
    small_value, small_gradient = loss.value_and_gradient(theta)
    assert_allclose(small_value, value, rtol=1e-13)
    assert_allclose(small_gradient, gradient, atol=1e-14)


@pytest.mark.parametrize("shape", [FieldShape(3, ()), FieldShape(0, (2, 3))])
def test_one_kind_of_column_is_enough(shape):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(30, shape.n_numeric))
    states = np.hstack(
        [np.eye(k)[rng.integers(0, k, 30)] for k in shape.n_states] or [numbers[:, :0]]
    )
    loss = MixedPseudoLikelihood(numbers, states, shape)
    _, trace = fista(loss, BlockLasso(0.05, shape), loss.zeros())
    assert trace.reason == "converged"
    assert trace.objective[-1] < trace.objective[0]


def test_blocks_have_frobenius_norms():
    coupling = SHAPE.split(random_theta(SHAPE)).coupling
    norms = SHAPE.block_norms(coupling)
    assert_allclose(norms[1, 3], np.linalg.norm(coupling[1:2, 4:7]))
    assert_allclose(norms[2, 3], np.linalg.norm(coupling[2:4, 4:7]))
    assert_allclose(np.diag(norms), 0.0)


def test_prox_minimises_its_problem_among_symmetric_points():
    penalty = BlockLasso(1.5, SHAPE)
    at = random_theta(SHAPE)
    best = penalty.prox(at, 0.4)

    def objective(theta):
        return 0.5 * ((theta - at) ** 2).sum() + 0.4 * penalty.value(theta)

    assert (SHAPE.block_norms(SHAPE.split(best).coupling) == 0).sum() > 4
    for seed in range(30):
        step = random_theta(SHAPE, seed) - random_theta(SHAPE, seed + 100)
        assert objective(best + 1e-3 * step) >= objective(best)


def test_prox_keeps_precisions_positive():
    theta = random_theta(SHAPE)
    SHAPE.split(theta).precision[:] = -1.0
    assert (SHAPE.split(BlockLasso(0.1, SHAPE).prox(theta, 1.0)).precision > 0).all()


def test_objective_never_rises():
    loss = MixedPseudoLikelihood(*rows(100), SHAPE)
    _, trace = fista(loss, BlockLasso(0.02, SHAPE), loss.zeros(), tol=1e-9)
    assert (np.diff(trace.objective) <= 0).all()
