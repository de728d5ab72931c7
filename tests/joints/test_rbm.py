"""Restricted Boltzmann machines beyond the common contract: many labels, special cases, errors."""

import numpy as np
import pytest
from scipy.special import expit

from labelfield._exceptions import IntractableError
from labelfield.joints import IndependentJoint, RBMJoint, rbm
from labelfield.kernels.sets.bits import all_sets


def random_joint(n=6, n_labels=8, n_hidden=4, seed=0, scale=1.0, **options):
    rng = np.random.default_rng(seed)
    unary = rng.normal(-1.0, 1.5, (n, n_labels))
    coupling = scale * rng.normal(size=(n_labels, n_hidden))
    return RBMJoint(unary, coupling, rng.normal(size=n_hidden), **options)


@pytest.fixture
def approximate(monkeypatch):
    """Treat eight labels as too many to list, so that the truth is known."""
    exact = random_joint()
    pair = 0.3 * np.ones((8, 8))
    parts = exact.unary, exact.coupling, exact.hidden_bias
    with_pairs = RBMJoint(*parts, pair=pair)
    started = RBMJoint(*parts, starts=all_sets(8)[::5])
    truth = {joint: joint.restrict(all_sets(8)) for joint in (exact, with_pairs, started)}
    monkeypatch.setattr(rbm, "MAX_EXACT", 4)
    return truth


def test_without_coupling_labels_are_independent():
    joint = random_joint(scale=0.0)
    plain = IndependentJoint(joint.unary)
    sets = np.random.default_rng(1).integers(0, 2, (6, 8)).astype(np.uint8)
    np.testing.assert_allclose(joint.log_prob(sets), plain.log_prob(sets), atol=1e-10)
    np.testing.assert_allclose(joint.marginals(), plain.marginals(), atol=1e-10)
    np.testing.assert_array_equal(joint.mode(), plain.mode())


def test_sixteen_labels_are_still_exact():
    joint = random_joint(n=2, n_labels=16)
    assert joint.exact
    assert joint.normalized
    sets = all_sets(16)
    log_prob = joint.log_prob(np.broadcast_to(sets, (2, *sets.shape)))
    p = np.exp(log_prob)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-8)
    np.testing.assert_allclose(joint.marginals(), p @ sets, atol=1e-8)
    np.testing.assert_array_equal(joint.mode(), sets[p.argmax(axis=1)])


def test_approximations_say_so_and_come_close(approximate):
    for joint, truth in approximate.items():
        assert not joint.exact
        assert not joint.normalized
        assert not joint.certified().any()
        many = RBMJoint(
            joint.unary,
            joint.coupling,
            joint.hidden_bias,
            pair=joint.pair,
            starts=joint.starts,
            n_draws=1500,
        )
        np.testing.assert_allclose(many.marginals(), truth.marginals(), atol=0.05)
        gap = many.size_distribution() - truth.size_distribution()
        assert np.abs(gap).max() < (0.05 if joint.pair is None else 0.15)
        draws = joint.sample(1500, np.random.default_rng(0))
        np.testing.assert_allclose(draws.mean(axis=1), truth.marginals(), atol=0.07)
        gap = truth.log_prob(truth.mode()) - truth.log_prob(joint.mode())
        assert (gap < 0.5).all()
        assert (gap < 1e-9).mean() >= 0.5


def test_best_sets_around_the_mode(approximate):
    for joint, truth in approximate.items():
        sets, scores = joint.top_k(5)
        np.testing.assert_allclose(scores, joint.log_score(sets))
        assert (np.diff(scores, axis=1) <= 0).all()
        found = np.exp(truth.log_prob(sets)).sum(axis=1)
        best = np.exp(truth.top_k(5)[1]).sum(axis=1)
        assert (found >= 0.5 * best).all()
        assert joint.top_k(3, allow_empty=False)[0].any(axis=2).all()


def test_known_labels_are_clamped_whatever_the_number_of_labels(approximate):
    joint, truth = next(iter(approximate.items()))
    known = np.full((6, 8), np.nan)
    known[:, 0], known[:, 5] = 1.0, 0.0
    given, wanted = joint.condition(known), truth.condition(known)
    long = RBMJoint(given.unary, given.coupling, given.hidden_bias, n_draws=1500)
    for answer in (long.marginals(), long.condition(known).marginals()):
        np.testing.assert_allclose(answer, wanted.marginals(), atol=0.05)
        assert (answer[:, 0] == 1.0).all()
        assert (answer[:, 5] == 0.0).all()
    for sets in (
        given.mode()[:, None],
        given.top_k(7)[0],
        given.sample(5, np.random.default_rng(0)),
    ):
        assert (sets[..., 0] == 1).all()
        assert (sets[..., 5] == 0).all()
    field = RBMJoint(given.unary, given.coupling, given.hidden_bias, inference="mean_field")
    assert np.abs(field.marginals() - wanted.marginals()).mean() < 0.06


def test_rows_do_not_depend_on_their_company(approximate):
    for joint in approximate:
        whole = joint.marginals()
        rows = np.array([4, 1])
        np.testing.assert_array_equal(joint.take(rows).marginals(), whole[rows])
        np.testing.assert_array_equal(joint.marginals(), whole)


def test_probabilities_of_many_labels_are_refused_with_a_way_out():
    joint = random_joint(n=3, n_labels=17)
    with pytest.raises(IntractableError, match=r"17 coupled labels.*restrict"):
        joint.log_prob(np.zeros((3, 17), np.uint8))
    support = np.random.default_rng(0).integers(0, 2, (40, 17)).astype(np.uint8)
    listed = joint.restrict(support)
    ratio = joint.log_score(support[:3]) - joint.log_score(support[3:6])
    expected = listed.log_prob(support[:3]) - listed.log_prob(support[3:6])
    np.testing.assert_allclose(ratio, expected, atol=1e-10)


def test_mean_field_without_coupling_is_exact_for_many_labels():
    joint = random_joint(n_labels=30, scale=0.0, inference="mean_field")
    np.testing.assert_allclose(joint.marginals(), expit(joint.unary), atol=1e-3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"coupling": np.zeros((2, 3))}, "coupling must have shape"),
        ({"pair": np.eye(2)}, "pair must be symmetric"),
        ({"pair": np.triu(np.ones((3, 3)))}, "pair must be symmetric"),
        ({"starts": np.zeros((4, 2))}, "starts must have shape"),
        ({"inference": "exact"}, "inference must be"),
        ({"unary": np.full((1, 3), np.nan)}, "NaN"),
    ],
)
def test_wrong_arrays_are_named(options, words):
    arguments = {"unary": np.zeros((1, 3)), "coupling": np.zeros((3, 2)), "hidden_bias": [0.0, 0.0]}
    with pytest.raises(ValueError, match=words):
        RBMJoint(**{**arguments, **options})


def test_contradicting_a_certain_label_is_refused():
    joint = random_joint().condition(np.full((6, 8), 0.0))
    with pytest.raises(ValueError, match="row 0 have probability zero"):
        joint.condition(np.full((6, 8), 1.0))


def test_normalisers_of_large_machines_are_estimates(monkeypatch):
    joint = random_joint(3, 10, 4, seed=3, n_draws=4000)
    rng = np.random.default_rng(4)
    known = np.where(rng.random((3, 10)) < 0.3, joint.mode(), np.nan)
    log_odds = rng.normal(0.0, 0.5, (3, 10))
    wanted = joint.log_evidence(known), joint.log_tilt(log_odds)
    monkeypatch.setattr(rbm, "MAX_EXACT", 3)
    assert not joint.exact
    np.testing.assert_allclose(joint.log_evidence(known), wanted[0], atol=0.3)
    np.testing.assert_allclose(joint.log_tilt(log_odds), wanted[1], atol=0.2)
