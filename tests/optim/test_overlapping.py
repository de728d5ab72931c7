import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from labelfield.optim import GroupLasso, OverlappingGroupLasso

NESTED = [np.array([0, 1, 4]), np.array([2, 3, 4]), np.array([4])]


def test_disjoint_groups_are_those_of_the_group_lasso():
    w = np.random.default_rng(0).normal(size=5)
    plain = GroupLasso(0.4, np.array([0, 0, 1, 1, -1]))
    ours = OverlappingGroupLasso(0.4, [np.array([0, 1]), np.array([2, 3])])
    np.testing.assert_allclose(ours.value(w), plain.value(w), rtol=1e-14)
    np.testing.assert_allclose(ours.prox(w, 0.7), plain.prox(w, 0.7), rtol=1e-12)


@settings(deadline=None, max_examples=20)
@example(seed=50538, step=1.4375)  # a group on the edge of vanishing, where rounds gain little
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 3.0))
def test_the_proximal_step_is_the_minimiser(seed, step):
    w = np.random.default_rng(seed).normal(size=6)
    penalty = OverlappingGroupLasso(0.8, NESTED)

    def objective(v):
        return 0.5 * (v - w) @ (v - w) + step * penalty.value(v)

    new = penalty.prox(w, step)
    found = minimize(objective, new + 0.01, method="Powell", tol=1e-9)
    assert objective(new) <= min(found.fun, objective(w), objective(np.zeros(6))) + 1e-6
    assert new[5] == w[5]


def test_an_entry_goes_with_any_of_its_groups():
    w = np.array([0.1, 0.1, 3.0, 3.0, 0.2])
    new = OverlappingGroupLasso(1.0, NESTED).prox(w, 1.0)
    np.testing.assert_allclose(new[[0, 1, 4]], 0.0, atol=1e-12)
    assert (new[2:4] > 1.0).all()
