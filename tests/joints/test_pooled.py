"""Pools against enumeration over their members, and certificates that are never false."""

from copy import copy

import numpy as np
import pytest

from labelfield import IntractableError
from labelfield.decode import resolve
from labelfield.joints import (
    ChainJoint,
    IndependentJoint,
    IsingJoint,
    MixtureJoint,
    PooledJoint,
    RBMJoint,
    SupportJoint,
    explain_set,
)
from labelfield.kernels.sets.bits import all_sets, pack
from laws import size_marginals_of
from strategies import random_logits, random_pool

FLAVOURS = ["usual", "ties", "extreme", "certain", "huge"]


def by_hand(pool):
    """Return all sets and their probabilities (n, 2**L) from the members' own."""
    sets = all_sets(pool.n_labels)
    every = np.broadcast_to(sets, (len(pool), *sets.shape))
    p = sum(
        np.exp(pool.log_weights[:, m, None] + joint.log_prob(every))
        for m, joint in enumerate(pool.joints)
    )
    return sets, p


def assert_like_enumeration(pool, rng):
    """Compare all answers with the list of all sets; return which rows are certified."""
    sets, p = by_hand(pool)
    close = {"rtol": 0.0, "atol": 1e-9}
    np.testing.assert_allclose(pool.marginals(), p @ sets, **close)
    np.testing.assert_allclose(pool.size_marginals(), size_marginals_of(sets, p), **close)
    shape = (len(pool), pool.n_labels)
    known = np.where(rng.random(shape) < 0.4, rng.integers(0, 2, shape), np.nan)
    agrees = (np.isnan(known)[:, None] | (known[:, None] == sets)).all(axis=2)
    np.testing.assert_allclose(np.exp(pool.log_evidence(known)), (p * agrees).sum(axis=1), **close)
    log_odds = rng.normal(0.0, 2.0, shape)
    tilted = (p * np.exp(log_odds @ sets.T)).sum(axis=1)
    np.testing.assert_allclose(pool.log_tilt(log_odds), np.log(tilted), **close)
    k, allow_empty = int(rng.integers(1, 12)), bool(rng.random() < 0.7)
    best, log_prob = pool.top_k(k, allow_empty)
    certified = pool.certified(k, allow_empty)
    ranked = -np.sort(-(p if allow_empty else p[:, 1:]), axis=1)[:, : log_prob.shape[1]]
    np.testing.assert_allclose(np.exp(log_prob)[certified], ranked[certified], **close)
    where = np.searchsorted(pack(sets), pack(best))
    np.testing.assert_allclose(np.take_along_axis(p, where, axis=1), np.exp(log_prob), **close)
    return certified


@pytest.mark.parametrize("part", range(10))
def test_500_random_pools_equal_enumeration(part):
    for number in range(50):
        rng = np.random.default_rng([part, number])
        pool = random_pool(rng, 2, int(rng.integers(1, 7)), rng.choice(FLAVOURS))
        assert assert_like_enumeration(pool, rng).all()


def test_certificates_of_short_lists_are_never_false():
    certified = []
    for number in range(150):
        rng = np.random.default_rng([77, number])
        pool = random_pool(rng, 3, 6, "usual")
        short = copy(pool)
        short.max_listed = int(rng.integers(1, 12))
        certified.append(assert_like_enumeration(short, rng))
    assert 0.1 < np.mean(certified) < 1.0


def test_the_search_of_many_labels_stops_at_the_best_sets():
    rng = np.random.default_rng(0)
    members = [
        IndependentJoint(rng.normal(-1.0, 2.0, (20, 12))),
        MixtureJoint(np.log(rng.dirichlet(np.ones(3), 20)), rng.normal(-1.0, 2.0, (20, 3, 12))),
        SupportJoint(all_sets(12)[::9], np.log(rng.dirichlet(np.full(456, 0.1), 20) + 1e-300)),
    ]
    pool = PooledJoint(members, rng.dirichlet(np.ones(3), 20))
    _, p = by_hand(pool)
    _, log_prob = pool.top_k(3)
    certified = pool.certified(3)
    assert certified.mean() > 0.8
    ranked = -np.sort(-p, axis=1)[:, :3]
    np.testing.assert_allclose(np.exp(log_prob)[certified], ranked[certified], atol=1e-12)


def test_members_that_disagree_about_everything_prove_nothing():
    logits = np.full((1, 40), 0.05)
    pool = PooledJoint([IndependentJoint(logits), IndependentJoint(-logits)], [0.5, 0.5])
    assert not pool.certified().any()
    assert pool.exact  # but for its best sets, all numbers are
    assert pool.top_k(2)[0].shape == (1, 2, 40)


def test_a_member_of_no_weight_needs_no_proof():
    logits = np.full((1, 30), 0.01)
    even = MixtureJoint(np.log([[0.5, 0.5]]), [np.stack([logits[0], -logits[0]])], max_visits=3)
    assert not even.certified().any()
    sure = IndependentJoint(np.full((1, 30), 9.0))
    assert PooledJoint([sure, even], [1.0, 0.0]).certified().all()
    assert not PooledJoint([sure, even], [0.4, 0.6]).certified().any()


def test_one_member_is_the_member():
    joint = IndependentJoint(random_logits(np.random.default_rng(3), (4, 6), "usual"))
    pool = PooledJoint([joint], [1.0])
    np.testing.assert_allclose(pool.top_k(9)[1], joint.top_k(9)[1], rtol=1e-12)
    np.testing.assert_allclose(pool.marginals(), joint.marginals(), rtol=1e-12)


def test_known_labels_move_the_weights_to_the_members_that_expected_them():
    certain = np.log([[1.0, 1e-300]])
    first = SupportJoint([[1, 0], [0, 1]], certain)
    second = SupportJoint([[0, 1], [1, 0]], certain)
    pool = PooledJoint([first, second], [0.5, 0.5])
    given = pool.condition([[1.0, np.nan]])
    np.testing.assert_allclose(np.exp(given.log_weights), [[1.0, 0.0]], atol=1e-12)
    with pytest.raises(ValueError, match="probability zero"):
        pool.condition([[1.0, 1.0]])


def test_decisions_on_a_pool_are_best_for_their_metric():
    rng = np.random.default_rng(5)
    pool = random_pool(rng, 4, 5, "usual")
    listed = pool.restrict(all_sets(5))
    for name in ("subset", "hamming", "f1", "jaccard"):
        np.testing.assert_array_equal(resolve(name).decode(pool), resolve(name).decode(listed))


def test_draws_of_a_member_are_its_own():
    low, high = SupportJoint(np.eye(3)[:1], [[0.0]]), SupportJoint(np.eye(3)[2:], [[0.0]])
    members = [low.take([0, 0]), high.take([0, 0])]
    draws = PooledJoint(members, [[0.25, 0.75], [1.0, 0.0]]).sample(4000, 0)
    np.testing.assert_allclose(draws[0].mean(axis=0), [0.25, 0.0, 0.75], atol=0.03)
    assert (draws[1] == [1, 0, 0]).all()


def test_explanations_name_the_members_that_carry_a_set():
    product = IndependentJoint.from_probabilities([[0.7, 0.6]])
    seen = SupportJoint([[1, 0], [0, 1]], np.log([[0.9, 0.1]]))
    pool = PooledJoint([product, seen], [0.5, 0.5], names=["product", "seen sets"])
    why = explain_set(pool, names=["sea", "beach"])
    assert why.labels == ("sea",)
    np.testing.assert_allclose(why.probability, 0.5 * 0.28 + 0.5 * 0.9)
    assert [member.name for member in why.parts] == ["seen sets", "product"]
    np.testing.assert_allclose([p.share for p in why.parts], [0.45 / 0.59, 0.14 / 0.59])
    assert str(why).splitlines()[0] == "sea, probability 0.590"
    other = explain_set(pool, labels=[1, 1])
    assert other.parts[0].name == "product"
    assert other.parts[0].share == 1.0


def test_wrong_members_and_weights_are_named():
    one = IndependentJoint(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="joints is empty"):
        PooledJoint([], [])
    with pytest.raises(ValueError, match="same rows and labels"):
        PooledJoint([one, IndependentJoint(np.zeros((2, 4)))], [0.5, 0.5])
    for weights in ([0.5, 0.6], [1.5, -0.5], [np.nan, 1.0]):
        with pytest.raises(ValueError, match="weights must not be negative and sum to 1"):
            PooledJoint([one, one], weights)
    with pytest.raises(ValueError, match=r"weights must have shape \(2,\) or \(2, 2\)"):
        PooledJoint([one, one], [1.0])
    with pytest.raises(ValueError, match="names must be 2 names"):
        PooledJoint([one, one], [0.5, 0.5], names=["a"])
    with pytest.raises(ValueError, match="'max_listed' parameter of PooledJoint"):
        PooledJoint([one], [1.0], max_listed=0)


def test_a_long_chain_is_pooled_until_evidence_leaves_it_without_a_constant():
    chain = ChainJoint.linear(np.zeros((1, 13)), np.full((13, 13), 0.5))
    pool = PooledJoint([chain, IndependentJoint(np.zeros((1, 13)))], [0.5, 0.5])
    assert not pool.exact
    known = np.full((1, 13), np.nan)
    known[0, 12] = 1.0
    listed = pool.restrict(all_sets(13))
    np.testing.assert_allclose(pool.log_evidence(known), listed.log_evidence(known), atol=0.05)
    with pytest.raises(IntractableError, match=r"joints\[0\], a ChainJoint.*restrict"):
        pool.condition(known)


@pytest.mark.parametrize(
    "joint",
    [
        RBMJoint(np.zeros((1, 20)), np.zeros((20, 2)), np.zeros(2)),
        IsingJoint(np.zeros((1, 3)), [(0, 1)], [1.0], inference="sum_product"),
    ],
    ids=["machine", "field"],
)
def test_members_without_probabilities_are_refused(joint):
    with pytest.raises(IntractableError, match=r"joints\[1\].*restrict"):
        PooledJoint([IndependentJoint(np.zeros(joint.unary.shape)), joint], [0.5, 0.5])
