"""Bernoulli mixtures against the textbook."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from labelfield import BernoulliMixture
from labelfield.kernels.sets.bits import all_sets


@pytest.fixture
def sets():
    rng = np.random.default_rng(0)
    means = np.array([[0.9, 0.8, 0.1, 0.1], [0.1, 0.2, 0.7, 0.9]])
    return (rng.random((300, 4)) < means[rng.integers(2, size=300)]).astype(np.uint8)


def test_em_never_lowers_the_likelihood(sets):
    trace = BernoulliMixture(n_components=3, n_init=1, random_state=0, tol=1e-4).fit(sets).trace_
    assert trace.n_iter > 3
    assert (np.diff(trace.objective) < 1e-6).all()


def test_finds_the_components(sets):
    means = BernoulliMixture(n_components=2, random_state=0).fit(sets).means_
    means = means[np.argsort(means[:, 0])]
    np.testing.assert_allclose(means, [[0.1, 0.2, 0.7, 0.9], [0.9, 0.8, 0.1, 0.1]], atol=0.1)


def test_parameters_are_a_fixed_point_of_textbook_em(sets):
    model = BernoulliMixture(n_components=2, random_state=0, tol=1e-12, max_iter=2000).fit(sets)
    gamma = np.empty((len(sets), 2))
    for n, y in enumerate(sets):
        for k in range(2):
            rates = model.means_[k]
            gamma[n, k] = model.weights_[k] * np.prod(np.where(y, rates, 1 - rates))
        gamma[n] /= gamma[n].sum()
    np.testing.assert_allclose(model.responsibilities(sets), gamma, atol=1e-12)
    np.testing.assert_allclose(gamma.mean(axis=0), model.weights_, atol=1e-4)
    np.testing.assert_allclose(gamma.T @ sets / gamma.sum(axis=0)[:, None], model.means_, atol=1e-4)


def test_weights_count_like_repeated_rows(sets):
    times = np.arange(len(sets)) % 3
    weighted = BernoulliMixture(n_components=2, random_state=0).fit(sets, sample_weight=times)
    repeated = BernoulliMixture(n_components=2, random_state=0).fit(np.repeat(sets, times, axis=0))
    np.testing.assert_allclose(weighted.means_, repeated.means_, atol=1e-10)


def test_joint_agrees_with_score_samples(sets):
    model = BernoulliMixture(n_components=2, random_state=0).fit(sp.csr_matrix(sets))
    np.testing.assert_allclose(model.joint(5).log_prob(sets[:5]), model.score_samples(sets[:5]))
    assert model.score(sets) == pytest.approx(model.score_samples(sets).mean())


def test_unknown_labels_are_summed_out(sets):
    holed = np.where(np.random.default_rng(0).random(sets.shape) < 0.3, np.nan, sets)
    model = BernoulliMixture(n_components=2, random_state=0).fit(holed)
    assert (np.diff(model.trace_.objective) < 1e-9).all()
    law = model.joint(len(sets)).restrict(all_sets(4))
    agrees = (np.isnan(holed)[:, None] | (law.sets == holed[:, None])).all(axis=2)
    log_prob = np.log((np.exp(law.log_weights) * agrees).sum(axis=1))
    np.testing.assert_allclose(model.score_samples(holed), log_prob, atol=1e-9)
    assert -model.trace_.objective[-1] == pytest.approx(log_prob.mean(), abs=1e-5)
    np.testing.assert_allclose(model.responsibilities(holed).sum(axis=1), 1.0)


def test_more_components_than_sets():
    Y = np.array([[1, 0], [0, 1]], dtype=np.uint8)
    model = BernoulliMixture(n_components=5, random_state=0).fit(Y)
    np.testing.assert_allclose(model.responsibilities(Y).sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(model.score_samples(Y)), 0.5, atol=1e-3)


def test_bad_input(sets):
    with pytest.raises(ValueError, match="'n_components' parameter"):
        BernoulliMixture(n_components=0).fit(sets)
    with pytest.raises(ValueError, match="0 rows"):
        BernoulliMixture().fit(np.empty((0, 3)))
    with pytest.raises(ValueError, match="3 labels.*fitted to 4"):
        BernoulliMixture(n_components=2).fit(sets).score_samples(sets[:, :3])
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        BernoulliMixture(n_components=2, max_iter=2, tol=0.0).fit(sets)
