import numpy as np
import pytest
from scipy.special import expit

from labelfield.joints import IndependentJoint, MixtureJoint
from laws import enumerate_law, product_law
from strategies import random_log_weights


def test_law_is_the_weighted_sum_of_the_components():
    rng = np.random.default_rng(0)
    log_weights, logits = random_log_weights(rng, (3, 4)), rng.normal(0.0, 2.0, (3, 4, 5))
    wanted = (np.exp(log_weights)[:, :, None] * product_law(expit(logits))).sum(axis=1)
    got = enumerate_law(MixtureJoint(log_weights, logits))[1]
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_one_component_is_independence():
    logits = np.random.default_rng(1).normal(0.0, 2.0, (6, 40))
    mixture, product = MixtureJoint(np.zeros((6, 1)), logits[:, None]), IndependentJoint(logits)
    np.testing.assert_array_equal(mixture.top_k(9)[0], product.top_k(9)[0])
    np.testing.assert_allclose(mixture.pair_marginals(), product.pair_marginals(), rtol=1e-12)
    np.testing.assert_array_equal(mixture.size_marginals(), product.size_marginals())


def test_a_row_without_proof_warns():
    logits = np.stack([np.full(30, 1e-3), np.full(30, -1e-3)])[None]
    joint = MixtureJoint(np.log([[0.5, 0.5]]), logits * np.tile([1.0, -1.0], 15), max_visits=50)
    with pytest.warns(RuntimeWarning, match=r"1 of 1 rows stopped after max_visits=50"):
        joint.mode()
    assert not joint.certified()[0]


def test_wrong_weights_are_named():
    with pytest.raises(ValueError, match=r"shape \(2, 3\), got \(2, 2\)"):
        MixtureJoint(np.log(np.full((2, 2), 0.5)), np.zeros((2, 3, 4)))
    with pytest.raises(ValueError, match=r"normalised.*row 1 gives 0\.4054"):
        MixtureJoint(np.log([[0.5, 0.5], [0.75, 0.75]]), np.zeros((2, 2, 4)))
    with pytest.raises(ValueError, match="normalised"):
        MixtureJoint([[np.nan, 0.0]], np.zeros((1, 2, 4)))
    with pytest.raises(ValueError, match=r"shape \(n, K, L\)"):
        MixtureJoint([[0.0]], np.zeros((1, 4)))


def test_impossible_known_labels_are_refused():
    joint = MixtureJoint(np.log([[0.5, 0.5]]), [[[np.inf, 0.0], [np.inf, 1.0]]])
    with pytest.raises(ValueError, match="known labels of row 0 have probability zero"):
        joint.condition(np.array([[0.0, np.nan]]))
