import numpy as np
import pytest
from scipy.special import expit, log_expit

from labelfield._exceptions import IntractableError
from labelfield.joints import ChainJoint, IndependentJoint, base
from labelfield.joints.conditionals import Conditionals
from labelfield.kernels.sets.bits import all_sets
from laws import enumerate_law, size_marginals_of

ORDER = np.array([2, 0, 1])


class CountConditionals(Conditionals):
    """Log-odds that grow with the square of the number of earlier labels."""

    def __init__(self, offset):
        self.offset = offset

    def __len__(self):
        return len(self.offset)

    def log_odds(self, position, rows, earlier):
        assert earlier.shape == (len(rows), position)
        return self.offset[rows] - 0.3 * position + 0.2 * earlier.sum(axis=1, dtype=float) ** 2


def random_chain(n, L, seed=0, scale=1.0, **options):
    rng = np.random.default_rng(seed)
    logits, coupling = rng.normal(0.0, scale, (n, L)), rng.normal(0.0, scale, (L, L))
    return ChainJoint.linear(logits, coupling, rng.permutation(L), **options)


def test_law_multiplies_the_conditionals_in_order():
    rng = np.random.default_rng(0)
    logits, coupling = rng.normal(size=(2, 3)), rng.normal(size=(3, 3))
    sets, p = enumerate_law(ChainJoint.linear(logits, coupling, ORDER))
    for i in range(2):
        for y, got in zip(sets, p[i]):
            wanted = 1.0
            for j, label in enumerate(ORDER):
                earlier = ORDER[:j]
                on = expit(logits[i, label] + coupling[label, earlier] @ y[earlier])
                wanted *= on if y[label] else 1.0 - on
            np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_any_conditionals_will_do():
    joint = ChainJoint(CountConditionals(np.array([-0.5, 0.4])), [1, 2, 0, 3])
    sets, p = enumerate_law(joint)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_allclose(joint.marginals(), p @ sets)
    np.testing.assert_array_equal(joint.mode(), sets[p.argmax(axis=1)])


def test_no_coupling_is_independence():
    logits = np.random.default_rng(1).normal(0.0, 2.0, (4, 30))
    chain, product = ChainJoint.linear(logits, np.zeros((30, 30))), IndependentJoint(logits)
    np.testing.assert_array_equal(chain.top_k(5)[0], product.top_k(5)[0])
    assert chain.certified(5).all()


def test_the_ceiling_bounds_every_conditional_and_is_sharp_without_coupling():
    joint = random_chain(4, 6)
    ceiling = joint.conditionals.log_ceiling(np.arange(4), 6)
    for j in range(6):
        prefixes = np.tile(all_sets(6)[:, :j], (4, 1))
        log_odds = joint.conditionals.log_odds(j, np.repeat(np.arange(4), 64), prefixes)
        reached = log_expit(np.abs(log_odds)).reshape(4, 64).max(axis=1)
        assert (reached <= ceiling[:, j] + 1e-15).all()
    free = ChainJoint.linear([[2.0, -1.0]], np.zeros((2, 2))).conditionals
    np.testing.assert_allclose(free.log_ceiling(np.arange(1), 2), log_expit([[2.0, 1.0]]))


@pytest.mark.parametrize("allow_empty", [True, False])
def test_certified_sets_are_the_best_and_a_narrow_beam_admits_doubt(allow_empty):
    sets = all_sets(14)[not allow_empty :]
    narrow = random_chain(12, 14, scale=1.5, max_beam=8)
    wide = random_chain(12, 14, scale=1.5, max_beam=4096)
    best = -np.sort(-wide._log_scores_of(sets), axis=1)[:, :4]
    proven = narrow.certified(4, allow_empty)
    assert 0 < proven.sum() < 12
    np.testing.assert_allclose(narrow.top_k(4, allow_empty)[1][proven], best[proven], rtol=1e-12)
    assert wide.certified(4, allow_empty).all()
    np.testing.assert_allclose(wide.top_k(4, allow_empty)[1], best, rtol=1e-12)


def test_many_labels_are_averaged_over_draws():
    joint = random_chain(3, 13, n_draws=4000)
    assert not joint.exact
    sets = all_sets(13)
    p = np.exp(joint._log_scores_of(sets))
    error = 5.0 * np.sqrt(0.25 / 4000)
    np.testing.assert_allclose(joint.marginals(), p @ sets, atol=error)
    pairs = np.einsum("nm,ml,mk->nlk", p, sets, sets, optimize=True)
    np.testing.assert_allclose(joint.pair_marginals(), pairs, atol=error)
    np.testing.assert_allclose(joint.size_marginals(), size_marginals_of(sets, p), atol=error)
    np.testing.assert_allclose(joint.size_distribution().sum(axis=1), 1.0)


def test_averages_of_a_row_do_not_depend_on_its_neighbours(monkeypatch):
    joint = random_chain(5, 15, n_draws=50)
    whole = joint.marginals()
    np.testing.assert_array_equal(joint.take(np.array([3, 1])).marginals(), whole[[3, 1]])
    monkeypatch.setattr(base, "BLOCK_BYTES", 1)
    np.testing.assert_array_equal(joint.marginals(), whole)
    assert (whole != random_chain(5, 15, n_draws=50, random_state=1).marginals()).any()


def evidence_about(joint, kind, rng):
    """Return a long chain with evidence about some labels, and the same law as a list of sets."""
    listed = joint.restrict(all_sets(joint.n_labels))
    shape = (len(joint), joint.n_labels)
    if kind == "tilt":
        log_odds = rng.normal(scale=2.0, size=shape)
        return joint.tilt(log_odds), listed.tilt(log_odds)
    known = np.where(rng.random(shape) < 0.4, rng.integers(0, 2, shape), np.nan)
    if kind == "condition":
        return joint.condition(known), listed.condition(known)
    log_odds = rng.normal(scale=2.0, size=shape)
    return joint.condition(known).tilt(log_odds), listed.condition(known).tilt(log_odds)


@pytest.mark.parametrize("kind", ["tilt", "condition", "both"])
def test_evidence_about_many_labels_agrees_with_enumeration(kind):
    joint = random_chain(4, 13, n_draws=4000)
    given, truth = evidence_about(joint, kind, np.random.default_rng(3))
    assert not given.exact
    error = 8.0 * np.sqrt(0.25 / 4000)  # at least half of the draws count
    np.testing.assert_allclose(given.marginals(), truth.marginals(), atol=error)
    np.testing.assert_allclose(given.pair_marginals(), truth.pair_marginals(), atol=error)
    np.testing.assert_allclose(given.size_marginals(), truth.size_marginals(), atol=error)
    draws = given.sample(3000, np.random.default_rng(0)).mean(axis=1)
    np.testing.assert_allclose(draws, truth.marginals(), atol=error)
    assert np.abs(joint.marginals() - truth.marginals()).max() > 2 * error


@pytest.mark.parametrize("kind", ["tilt", "condition", "both"])
def test_best_sets_given_evidence_about_many_labels_are_exact_where_proven(kind):
    given, truth = evidence_about(random_chain(6, 13), kind, np.random.default_rng(5))
    assert given.certified(3).all()
    sets, scores = given.top_k(3)
    _, wanted = truth.top_k(3)
    np.testing.assert_allclose(truth.log_score(sets), wanted, rtol=1e-9)
    np.testing.assert_allclose(np.diff(scores, axis=1), np.diff(wanted, axis=1), rtol=1e-9)
    np.testing.assert_allclose(given.log_score(sets), scores, rtol=1e-9)
    support = all_sets(13)[::7]
    np.testing.assert_allclose(
        given.restrict(np.concatenate([support, sets[0]])).log_score(sets[:, 0])[0],
        truth.restrict(np.concatenate([support, sets[0]])).log_score(sets[:, 0])[0],
        rtol=1e-9,
    )


def test_evidence_of_a_row_does_not_touch_others():
    joint = random_chain(5, 14, n_draws=200)
    log_odds = np.random.default_rng(0).normal(scale=3.0, size=(5, 14))
    whole = joint.tilt(log_odds).marginals()
    part = joint.take(np.array([3, 1])).tilt(log_odds[[3, 1]]).marginals()
    np.testing.assert_array_equal(part, whole[[3, 1]])


def test_known_labels_of_a_long_chain_stay_and_must_be_possible():
    joint = random_chain(2, 13)
    known = np.full((2, 13), np.nan)
    known[0, 4], known[1, 7] = 1.0, 0.0
    given = joint.condition(known)
    assert given.marginals()[0, 4] == 1.0
    assert given.marginals()[1, 7] == 0.0
    with pytest.raises(IntractableError, match="log_score"):
        given.log_prob(given.mode())
    known[0, 4] = 0.0
    with pytest.raises(ValueError, match="known labels of row 0 have probability zero"):
        given.condition(known).marginals()


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="order must be a permutation"):
        ChainJoint(CountConditionals(np.zeros(2)), [0, 2])
    with pytest.raises(ValueError, match=r"coupling must be finite of shape \(2, 2\)"):
        ChainJoint.linear(np.zeros((1, 2)), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="order must be a permutation"):
        ChainJoint.linear(np.zeros((1, 2)), np.zeros((2, 2)), order=[0])
    with pytest.raises(ValueError, match=r"log_odds must return 1 numbers without NaN"):
        ChainJoint(CountConditionals(np.full(1, np.nan)), [0, 1]).mode()


def test_a_beam_of_one_is_the_greedy_chain():
    """Each label is decided given those before it; only an empty answer is searched for again."""
    rng = np.random.default_rng(0)
    logits, coupling = rng.normal(size=(200, 5)), 3.0 * rng.normal(size=(5, 5))
    joint = ChainJoint.linear(logits, coupling, max_beam=1)
    greedy = np.zeros((200, 5), dtype=np.uint8)
    for j in range(5):
        greedy[:, j] = logits[:, j] + greedy[:, :j] @ coupling[j, :j] > 0
    np.testing.assert_array_equal(joint.mode(), greedy)
    filled = greedy.any(axis=1)
    assert not filled.all()
    np.testing.assert_array_equal(joint.mode(allow_empty=False)[filled], greedy[filled])
    assert joint.mode(allow_empty=False).any(axis=1).all()
    assert (ChainJoint.linear(logits, coupling).mode() != greedy).any()
    assert not joint.exact


def test_normalisers_of_long_chains_are_near_the_truth():
    rng = np.random.default_rng(0)
    joint = random_chain(4, 13, n_draws=4000)
    listed = joint.restrict(all_sets(13))
    truth = listed.sample(1, rng)[:, 0]
    known = np.where(rng.random((4, 13)) < 0.4, truth, np.nan)
    log_odds = rng.normal(0.0, 1.0, (4, 13))
    np.testing.assert_allclose(joint.log_evidence(known), listed.log_evidence(known), atol=0.1)
    np.testing.assert_allclose(joint.log_tilt(log_odds), listed.log_tilt(log_odds), atol=0.1)
    given, listed = joint.condition(known), listed.condition(known)
    np.testing.assert_allclose(given.log_tilt(log_odds), listed.log_tilt(log_odds), atol=0.15)
    impossible = np.where(np.isnan(known), np.nan, 1.0 - known)
    assert np.isneginf(given.log_evidence(impossible)).all()


def test_the_first_labels_of_a_chain_have_an_exact_probability():
    joint = random_chain(3, 13)
    listed = joint.restrict(all_sets(13))
    for n_known in (0, 1, 7, 13):
        known = np.full((3, 13), np.nan)
        known[:, joint.order[:n_known]] = np.random.default_rng(n_known).integers(0, 2, n_known)
        np.testing.assert_allclose(
            joint.log_evidence(known), listed.log_evidence(known), rtol=1e-9, atol=1e-12
        )
