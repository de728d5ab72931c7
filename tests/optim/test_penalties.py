import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize

from labelfield.optim import L1, Blocks, ElasticNet, GroupLasso, Ridge

GROUPS = np.array([0, 1, 0, -1, 1])
PENALTIES = [
    L1(0.7),
    Ridge(0.7),
    Ridge(0.7, unpenalized=2),
    ElasticNet(0.7, 0.3),
    ElasticNet(0.7, 1.0, unpenalized=1),
    GroupLasso(0.7, GROUPS),
    GroupLasso(0.7, GROUPS, weights=np.array([0.5, 2.0])),
    Blocks((2, 3), (L1(0.7), Ridge(0.4, unpenalized=1))),
]
vectors = hnp.arrays(np.float64, 5, elements=st.floats(-3.0, 3.0))


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
@given(w=vectors, others=hnp.arrays(np.float64, (20, 5), elements=st.floats(-3.0, 3.0)))
def test_prox_is_the_minimum(penalty, w, others):
    step = 0.9

    def objective(v):
        return 0.5 * ((v - w) ** 2).sum() + step * penalty.value(v)

    at = penalty.prox(w, step)
    best = objective(at)
    # Strongly convex: every other point is worse by at least half its squared distance.
    for v in [*others, *(at + 0.01 * others)]:
        assert objective(v) >= best + 0.5 * ((v - at) ** 2).sum() - 1e-12


def test_prox_equals_a_numeric_minimum():
    w = np.array([2.0, -1.5, 0.4, 1.0, -3.0])
    for penalty in PENALTIES:
        found = minimize(
            lambda v, penalty=penalty: 0.5 * ((v - w) ** 2).sum() + 0.9 * penalty.value(v),
            w,
            method="Powell",
            options={"xtol": 1e-10, "ftol": 1e-14},
        )
        np.testing.assert_allclose(penalty.prox(w, 0.9), found.x, atol=1e-5)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_columns_are_separate_problems(penalty):
    rng = np.random.default_rng(0)
    W, steps = rng.normal(size=(5, 3)), np.array([0.1, 1.0, 3.0])
    values, prox = penalty.value(W), penalty.prox(W, steps)
    assert values.shape == (3,)
    for column in range(3):
        np.testing.assert_allclose(values[column], penalty.value(W[:, column]))
        alone = penalty.prox(W[:, column], steps[column])
        np.testing.assert_allclose(prox[:, column], alone)


@pytest.mark.parametrize("penalty", [Ridge(0.7), Ridge(0.7, unpenalized=2)])
def test_ridge_gradient_equals_finite_differences(penalty):
    w = np.array([2.0, -1.5, 0.4, 1.0])
    numeric = [(penalty.value(w + e) - penalty.value(w - e)) / 2e-6 for e in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(penalty.gradient(w), numeric, atol=1e-8)


def test_special_cases_agree():
    w = np.random.default_rng(0).normal(size=6)
    single = GroupLasso(0.4, np.arange(6))
    for a, b in [
        (ElasticNet(0.4, 1.0), L1(0.4)),
        (ElasticNet(0.4, 0.0), Ridge(0.4)),
        (single, L1(0.4)),
    ]:
        np.testing.assert_allclose(a.value(w), b.value(w))
        np.testing.assert_allclose(a.prox(w, 0.8), b.prox(w, 0.8))
