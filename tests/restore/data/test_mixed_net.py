"""The mixed net: its collapsed form against integration, its sampler against enumeration."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad

from labelfield.restore import MixedNet, make_mixed_net


@pytest.fixture
def net():
    rng = np.random.default_rng(0)
    pair = np.zeros((5, 5))
    pair[:3, 3:] = rng.normal(size=(3, 2))
    return MixedNet(
        np.array([[1.5, 0.6], [0.6, 1.0]]),
        np.array([0.3, -0.5]),
        rng.normal(size=(2, 5)),
        rng.normal(size=5),
        pair + pair.T,
        (3, 2),
    )


def one_hot(v):
    D = np.zeros(5)
    D[[v[0], 3 + v[1]]] = 1
    return D


def exact_law(net):
    """Probabilities of the six joint states, from the collapsed form by plain sums."""
    unary, pair = net.collapsed()
    states = list(product(range(3), range(2)))
    log_p = [unary[a] + unary[3 + b] + pair[a, 3 + b] for a, b in states]
    p = np.exp(log_p)
    return states, p / p.sum()


def test_collapsed_form_is_the_integral_over_u():
    net = MixedNet(
        np.array([[1.7]]),
        np.array([0.4]),
        np.array([[1.0, -0.5, 0.3, 0.9, -1.2]]),
        np.array([0.1, 0.2, -0.3, 0.0, 0.5]),
        np.diag([0.7, 0.7], 3) + np.diag([0.7, 0.7], -3),
        (3, 2),
    )
    states, p = exact_law(net)

    def mass(v):
        D = one_hot(v)

        def density(u):
            linear = (net.linear + net.mixed @ D) * u
            return np.exp(
                -net.precision[0, 0] * u * u / 2 + linear[0] + net.unary @ D + D @ net.pair @ D / 2
            )

        return quad(density, -20, 20)[0]

    expected = np.array([mass(v) for v in states])
    np.testing.assert_allclose(p, expected / expected.sum(), rtol=1e-6)


def test_samples_have_the_enumerated_law(net):
    n = 20_000
    u, v = net.sample(n, n_sweeps=30, rng=np.random.default_rng(1))
    states, p = exact_law(net)
    counts = np.array([((v == state).all(axis=1)).sum() for state in states])
    np.testing.assert_array_less(np.abs(counts - n * p), 4 * np.sqrt(n * p * (1 - p)))
    covariance = np.linalg.inv(net.precision)
    means = np.array([covariance @ (net.linear + net.mixed @ one_hot(s)) for s in states])
    for state, mean in zip(states, means):
        rows = u[(v == state).all(axis=1)]
        if len(rows) > 500:
            tolerance = 4 * np.sqrt(np.diag(covariance) / len(rows))
            np.testing.assert_array_less(np.abs(rows.mean(axis=0) - mean), tolerance)
            np.testing.assert_allclose(np.cov(rows.T), covariance, atol=0.25)


def test_impossible_precision_is_refused():
    printed = np.array([[1.0, 4.0], [4.0, 1.0]])
    with pytest.raises(ValueError, match="no such density exists"):
        MixedNet(printed, np.ones(2), np.zeros((2, 2)), np.zeros(2), np.zeros((2, 2)), (2,))


def test_thesis_net_has_the_published_parameters():
    table = make_mixed_net(20, n_sweeps=2, random_state=0)
    first, second = table.truth["nets"]
    edges, shifts = table.truth["edges"], table.truth["shifts"]
    assert (np.abs(shifts) <= 0.5).all()
    assert shifts[0] != shifts[1]
    off = first.precision - np.diag(np.diag(first.precision))
    assert np.argwhere(np.triu(off)).tolist() == sorted(map(list, edges["continuous"].tolist()))
    assert set(off[off != 0]) == {4.0}
    assert (np.diag(first.precision) == 1 + off.sum(axis=1)).all()
    s, j = edges["mixed"][3]
    np.testing.assert_allclose(first.mixed[s, 3 * j : 3 * j + 3], np.array([3, 2, 1]) + shifts[0])
    np.testing.assert_allclose(second.mixed[s, 3 * j : 3 * j + 3], np.array([3, 2, 1]) + shifts[1])
    assert np.count_nonzero(first.mixed) == 3 * len(edges["mixed"])
    j, k = edges["categorical"][0]
    block = first.pair[3 * j : 3 * j + 3, 3 * k : 3 * k + 3]
    np.testing.assert_array_equal(block, 0.5 + np.eye(3))
    assert not first.unary.any()


def test_thesis_table_is_seeded_balanced_and_not_degenerate():
    one, two = (make_mixed_net(400, n_sweeps=20, random_state=7) for _ in range(2))
    np.testing.assert_array_equal(one.continuous, two.continuous)
    np.testing.assert_array_equal(one.categorical, two.categorical)
    assert np.bincount(one.target).tolist() == [200, 200]
    shares = [np.bincount(column, minlength=3).min() / 400 for column in one.categorical.T]
    assert min(shares) > 0.05


@pytest.mark.parametrize(("mc", "md"), [(1, 1), (2, 2), (3, 1)])
def test_small_nets(mc, md):
    table = make_mixed_net(7, n_continuous=mc, n_categorical=md, n_sweeps=2, random_state=0)
    assert table.continuous.shape == (7, mc)
    assert table.categorical.shape == (7, md)
