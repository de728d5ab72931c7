import numpy as np
import pytest

from labelfield.joints import IndependentJoint
from laws import enumerate_law, product_law


def test_law_is_the_product_of_the_marginals():
    P = np.random.default_rng(0).random((3, 4))
    joint = IndependentJoint.from_probabilities(P)
    np.testing.assert_allclose(enumerate_law(joint)[1], product_law(P), rtol=1e-12)
    np.testing.assert_allclose(joint.marginals(), P, rtol=1e-12)


def test_probabilities_zero_and_one_stay_possible():
    joint = IndependentJoint.from_probabilities([[0.0, 1.0]])
    against = joint.log_prob(np.array([[1, 0]], dtype=np.uint8))
    np.testing.assert_allclose(against, 2 * np.log(1e-12), rtol=1e-5)


def test_compact_form_lists_the_flips_of_the_mode():
    joint = IndependentJoint(np.random.default_rng(1).normal(size=(5, 30)))
    flips, log_prob = joint.best_flips(20)
    sets, same = joint.top_k(20)
    np.testing.assert_array_equal(log_prob, same)
    flipped = (sets != joint.mode()[:, None]).sum(axis=2)
    np.testing.assert_array_equal((flips >= 0).sum(axis=2), flipped)
    for slot in range(flips.shape[2]):
        row, rank = np.nonzero(flips[..., slot] >= 0)
        label = flips[row, rank, slot]
        assert (sets[row, rank, label] != joint.mode()[row, label]).all()


def test_without_the_empty_set_the_likeliest_label_stays():
    joint = IndependentJoint([[-3.0, -1.0, -1.0], [2.0, -1.0, -5.0]])
    np.testing.assert_array_equal(joint.mode(allow_empty=False), [[0, 1, 0], [1, 0, 0]])


def test_single_precision_and_lists_are_taken():
    joint = IndependentJoint(np.float32([[0.5, -0.25]]))
    assert joint.logits.dtype == np.float64
    assert repr(joint) == "IndependentJoint(n=1, n_labels=2)"


@pytest.mark.parametrize(
    ("logits", "message"),
    [
        (np.zeros(3), r"shape \(n, L\)"),
        (np.zeros((3, 0)), "L >= 1"),
        ([[0.0, np.nan]], "NaN"),
    ],
)
def test_bad_logits_are_named(logits, message):
    with pytest.raises(ValueError, match=message):
        IndependentJoint(logits)


@pytest.mark.parametrize("P", [[[1.1]], [[-0.1]], [[np.nan]]])
def test_bad_probabilities_are_named(P):
    with pytest.raises(ValueError, match="P must hold probabilities"):
        IndependentJoint.from_probabilities(P)


def test_impossible_known_labels_are_refused():
    joint = IndependentJoint([[0.0, 0.0], [np.inf, 0.0]])
    with pytest.raises(ValueError, match="known labels of row 1 have probability zero"):
        joint.condition(np.array([[0.0, np.nan], [0.0, 1.0]]))
