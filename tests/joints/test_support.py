import numpy as np
import pytest

from labelfield.joints import SupportJoint


@pytest.mark.parametrize("n_labels", [10, 64, 200])
def test_sets_are_found_by_their_labels(n_labels):
    rng = np.random.default_rng(n_labels)
    sets = np.unique((rng.random((300, n_labels)) < 0.3).astype(np.uint8), axis=0)
    sets = rng.permutation(sets)
    weights = rng.dirichlet(np.ones(len(sets)), 4)
    joint = SupportJoint(sets, np.log(weights))
    listed = np.broadcast_to(sets, (4, *sets.shape))
    np.testing.assert_allclose(np.exp(joint.log_prob(listed)), weights, rtol=1e-12)
    others = listed ^ (np.arange(n_labels) < 7).astype(np.uint8)
    known = {bytes(y) for y in sets}
    is_listed = np.array([bytes(y) in known for y in others[0]])
    np.testing.assert_array_equal(np.isfinite(joint.log_prob(others)), np.tile(is_listed, (4, 1)))


def test_best_sets_rank_ties_by_place_in_the_list():
    sets = np.array([[1, 1], [0, 0], [0, 1], [1, 0]])
    joint = SupportJoint(sets, np.log([[0.25] * 4, [0.1, 0.4, 0.1, 0.4]]))
    np.testing.assert_array_equal(joint.top_k(3)[0], sets[[[0, 1, 2], [1, 3, 0]]])
    np.testing.assert_array_equal(
        joint.top_k(9, allow_empty=False)[0], sets[[[0, 2, 3], [3, 0, 2]]]
    )


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([[0, 1], [0, 1]], "all different"),
        ([[0, 2], [0, 1]], "must hold 0 and 1 only, got 2"),
        ([0, 1], "must have shape"),
        (np.zeros((0, 2)), "M and L >= 1"),
    ],
)
def test_bad_sets_are_named(sets, message):
    with pytest.raises(ValueError, match=message):
        SupportJoint(sets, np.log([[0.5, 0.5]]))


def test_weights_must_fit_the_sets():
    with pytest.raises(ValueError, match=r"log_weights must have shape \(1, 3\), got \(1, 2\)"):
        SupportJoint(np.eye(3), np.log([[0.5, 0.5]]))


def test_nothing_but_the_empty_set():
    joint = SupportJoint([[0, 0]], [[0.0]])
    with pytest.raises(ValueError, match="allow_empty=False leaves nothing"):
        joint.mode(allow_empty=False)


def test_impossible_known_labels_are_refused():
    joint = SupportJoint([[0, 0], [1, 1]], np.log([[0.5, 0.5]]))
    with pytest.raises(ValueError, match="known labels of row 0 have probability zero"):
        joint.condition(np.array([[0.0, 1.0]]))
