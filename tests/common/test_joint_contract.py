"""Every joint against the full list of its sets, for every method of the contract."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from labelfield.joints import base, explain_set
from labelfield.kernels.sets.bits import pack
from laws import enumerate_law, size_distribution_of, size_marginals_of
from strategies import JOINTS, generators

every_joint = pytest.mark.parametrize("joints", JOINTS.values(), ids=JOINTS.keys())
thorough = settings(max_examples=50, deadline=None)
brief = settings(max_examples=8, deadline=None)


def close(actual, desired):
    np.testing.assert_allclose(actual, desired, rtol=0, atol=1e-10)


@every_joint
@thorough
@given(data=st.data())
def test_probabilities_sum_to_one(joints, data):
    joint = data.draw(joints)
    sets, p = enumerate_law(joint)
    close(p.sum(axis=1), 1.0)
    close(np.exp(joint.log_prob(np.tile(sets[-1], (len(joint), 1)))), p[:, -1])
    scores = joint.log_scores_of(sets)
    close(np.exp(scores - scores.max(axis=1, keepdims=True)), p / p.max(axis=1, keepdims=True))
    assert joint.normalized
    assert joint.exact


@every_joint
@thorough
@given(data=st.data(), max_size=st.integers(1, 6))
def test_marginals_and_sizes(joints, data, max_size):
    joint = data.draw(joints)
    sets, p = enumerate_law(joint)
    close(joint.marginals(), p @ sets)
    close(joint.pair_marginals(), np.einsum("nm,ml,mk->nlk", p, sets, sets))
    by_size = size_marginals_of(sets, p)
    close(joint.size_marginals(), by_size)
    padded = np.concatenate([by_size, np.zeros((len(joint), joint.n_labels, 6))], axis=2)
    close(joint.size_marginals(max_size), padded[..., :max_size])
    close(joint.size_distribution(), size_distribution_of(sets, p))
    table, empty = joint.size_table(negligible=0.3)
    close(table, by_size[..., : table.shape[2]])
    close(empty, size_distribution_of(sets, p)[:, 0])
    assert (size_distribution_of(sets, p)[:, table.shape[2] + 1 :].sum(axis=1) <= 0.3 + 1e-9).all()
    close(joint.size_table()[0].sum(axis=2), joint.marginals())


@every_joint
@thorough
@given(data=st.data(), k=st.integers(1, 40), allow_empty=st.booleans())
def test_best_sets(joints, data, k, allow_empty):
    joint = data.draw(joints)
    _, p = enumerate_law(joint)
    if not allow_empty:
        p = p[:, 1:]
    best, log_prob = joint.top_k(k, allow_empty)
    assert best.dtype == np.uint8
    assert best.shape == (*log_prob.shape, joint.n_labels)
    assert log_prob.shape[1] <= min(k, p.shape[1])
    ranked = -np.sort(-p, axis=1)
    close(np.exp(log_prob), ranked[:, : log_prob.shape[1]])
    close(ranked[:, log_prob.shape[1] : k], 0.0)
    close(np.exp(joint.log_prob(best)), np.exp(log_prob))
    assert (log_prob[:, 1:] <= log_prob[:, :-1]).all()
    for keys in pack(best):
        assert len(np.unique(keys)) == len(keys)
    assert allow_empty or best.any(axis=2).all()
    assert joint.certified(k, allow_empty).all()


@every_joint
@thorough
@given(data=st.data(), allow_empty=st.booleans())
def test_mode_is_the_first_of_the_best_sets(joints, data, allow_empty):
    joint = data.draw(joints)
    mode = joint.mode(allow_empty)
    np.testing.assert_array_equal(mode, joint.top_k(1, allow_empty)[0][:, 0])
    few, more = joint.top_k(3, allow_empty)[1], joint.top_k(8, allow_empty)[1]
    np.testing.assert_allclose(few, more[:, : few.shape[1]], rtol=1e-12, atol=1e-12)
    close(joint.log_prob(mode), few[:, 0])


@every_joint
@thorough
@given(data=st.data(), rng=generators)
def test_rows_and_blocks(joints, data, rng):
    joint = data.draw(joints)
    rows = rng.integers(0, len(joint), 4)
    close(joint.take(rows).marginals(), joint.marginals()[rows])
    mask = rng.random(len(joint)) < 0.5
    assert len(joint.take(mask)) == mask.sum()
    pieces = list(joint.blocks(2.0**40))
    assert [piece.start for piece, _ in pieces] == list(range(len(joint)))
    close(np.concatenate([block.marginals() for _, block in pieces]), joint.marginals())


def all_answers(joint):
    """Yield one array for every method that works block by block."""
    sets, log_prob = joint.top_k(6)
    yield from (sets, log_prob, joint.log_prob(sets), joint.restrict(sets[0]).log_weights)
    yield from (joint.marginals(), joint.pair_marginals(), joint.size_marginals())
    yield from (joint.size_distribution(), joint.sample(9, np.random.default_rng(3)))


@every_joint
@brief
@given(data=st.data())
def test_small_blocks_change_nothing(joints, data):
    joint = data.draw(joints)
    assume(np.isfinite(joint.log_prob(joint.mode()[[0] * len(joint)])).all())
    whole = list(all_answers(joint))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "BLOCK_BYTES", 1)
        for piecewise, at_once in zip(all_answers(joint), whole, strict=True):
            np.testing.assert_allclose(piecewise, at_once, rtol=1e-12, atol=1e-12)


@every_joint
@brief
@given(data=st.data())
def test_no_rows_give_no_answers(joints, data):
    joint = data.draw(joints)
    L, none = joint.n_labels, joint.take(slice(0, 0))
    for allow_empty in (True, False):
        sets, log_prob = none.top_k(2, allow_empty)
        n_best = {joint.top_k(2, allow_empty)[0].shape[1], min(2, 2**L - (not allow_empty))}
        assert sets.shape in {(0, k, L) for k in n_best}
        assert log_prob.shape == sets.shape[:2]
    assert none.log_prob(np.empty((0, 3, L))).shape == (0, 3)
    assert none.pair_marginals().shape == (0, L, L)
    assert none.size_distribution().shape == (0, L + 1)
    assert none.sample(4, np.random.default_rng(0)).shape == (0, 4, L)
    assert len(none.restrict(np.eye(L))) == len(none.condition(np.empty((0, L)))) == 0


@every_joint
@thorough
@given(data=st.data(), rng=generators)
def test_restrict_keeps_proportions(joints, data, rng):
    joint = data.draw(joints)
    sets, p = enumerate_law(joint)
    chosen = rng.random(len(sets)) < 0.5
    assume(chosen.any())
    left = p[:, chosen].sum(axis=1)
    support = rng.permutation(np.repeat(sets[chosen], 2, axis=0))
    assume((left == 0.0).any() or (left > 1e-200).all())
    if (left == 0.0).any():
        with pytest.raises(ValueError, match="probability zero"):
            joint.restrict(support)
    else:
        close(enumerate_law(joint.restrict(support))[1], np.where(chosen, p, 0.0) / left[:, None])


@every_joint
@thorough
@given(data=st.data(), rng=generators)
def test_condition_is_bayes_rule(joints, data, rng):
    joint = data.draw(joints)
    sets, p = enumerate_law(joint)
    truth = sets[[rng.choice(len(sets), p=row / row.sum()) for row in p]]
    known = np.where(rng.random(truth.shape) < 0.5, truth, np.nan)
    agrees = (np.isnan(known)[:, None] | (known[:, None] == sets)).all(axis=2)
    wanted = np.where(agrees, p, 0.0)
    close(enumerate_law(joint.condition(known))[1], wanted / wanted.sum(axis=1, keepdims=True))


@every_joint
@thorough
@given(data=st.data(), rng=generators)
def test_normalisers_of_known_labels_and_tilts(joints, data, rng):
    joint = data.draw(joints)
    sets, p = enumerate_law(joint)
    shape = (len(joint), joint.n_labels)
    known = np.where(rng.random(shape) < 0.6, rng.integers(0, 2, shape), np.nan)
    agrees = (np.isnan(known)[:, None] | (known[:, None] == sets)).all(axis=2)
    evidence = joint.log_evidence(known)
    assert evidence.shape == (len(joint),)
    close(np.exp(evidence), (p * agrees).sum(axis=1))
    close(joint.log_evidence(np.full(shape, np.nan)), 0.0)
    log_odds = rng.normal(0.0, 3.0, shape)
    close(joint.log_tilt(log_odds), np.log((p * np.exp(log_odds @ sets.T)).sum(axis=1)))
    close(joint.log_tilt(log_odds[0]), np.log((p * np.exp(sets @ log_odds[0])).sum(axis=1)))
    close(
        enumerate_law(joint.tilt(log_odds[0]))[1] @ sets,
        joint.tilt(np.tile(log_odds[0], (len(joint), 1))).marginals(),
    )


@every_joint
@thorough
@given(data=st.data(), rng=generators)
def test_tilt_is_bayes_rule_for_uncertain_evidence(joints, data, rng):
    joint = data.draw(joints)
    sets, p = enumerate_law(joint)
    log_odds = rng.normal(0.0, 3.0, (len(joint), joint.n_labels))
    wanted = p * np.exp(log_odds @ sets.T)
    close(enumerate_law(joint.tilt(log_odds))[1], wanted / wanted.sum(axis=1, keepdims=True))


@every_joint
@brief
@given(data=st.data())
def test_draws_follow_the_law(joints, data):
    joint = data.draw(joints)
    sets, p = enumerate_law(joint)
    draws = joint.sample(2000, np.random.default_rng(0))
    frequency = (pack(draws)[:, :, None] == pack(sets)).mean(axis=1)
    spread = np.sqrt(p * np.maximum(1.0 - p, 0.0) / 2000)  # p may exceed 1 by rounding
    assert (np.abs(frequency - p) <= 5.5 * spread + 1e-3).all()
    assert (frequency[p == 0.0] == 0.0).all()
    np.testing.assert_array_equal(draws, joint.sample(2000, np.random.default_rng(0)))


NO_SETS = {
    "NaN": np.nan,
    "a probability": 0.9,
    "a multiple of 256": 256,
    "one above it": 257,
    "a sign": -1,
    "a word": "yes",
    "a complex number": 1j,
    "a date": np.datetime64("2020-01-01"),
    "nothing": None,
}


@every_joint
@pytest.mark.parametrize("entry", NO_SETS.values(), ids=NO_SETS.keys())
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_only_zero_and_one_are_label_sets(joints, entry, data):
    joint = data.draw(joints)
    Y = np.zeros((len(joint), joint.n_labels)).tolist()
    Y[-1][-1] = entry
    for ask in (joint.log_prob, joint.log_score):
        with pytest.raises(ValueError, match="Y must"):
            ask(Y if not isinstance(entry, np.datetime64) else np.full(np.shape(Y), entry))
    with pytest.raises(ValueError, match="support must"):
        joint.restrict(Y if not isinstance(entry, np.datetime64) else np.full(np.shape(Y), entry))


@every_joint
@brief
@given(data=st.data(), rng=generators)
def test_label_sets_of_any_type_are_read_alike(joints, data, rng):
    joint = data.draw(joints)
    Y = rng.integers(0, 2, (len(joint), joint.n_labels))
    expected = joint.log_prob(Y.astype(np.uint8))
    types = [np.bool_, np.int8, np.uint16, np.int64, np.float32, np.float64, object]
    for same in [Y.tolist(), sparse.csr_array(Y), *(Y.astype(kind) for kind in types)]:
        np.testing.assert_array_equal(joint.log_prob(same), expected)
    masked = np.ma.array(Y, mask=np.ones(Y.shape, dtype=bool))
    with pytest.raises(ValueError, match="Y has masked entries"):
        joint.log_prob(masked)


@every_joint
@brief
@given(data=st.data(), rng=generators)
def test_explanations_add_up(joints, data, rng):
    joint = data.draw(joints)
    row = int(rng.integers(len(joint)))
    one = joint.take(np.array([row]))
    chosen = one.sample(1, rng)[0, 0]
    why = explain_set(joint, row, labels=chosen, n_rivals=4)
    log_prob = one.log_prob(chosen[None])[0]
    np.testing.assert_allclose(why.probability, np.exp(log_prob), rtol=1e-9, atol=1e-300)
    assert why.labels == tuple(f"y{k}" for k in np.flatnonzero(chosen))
    for reason in why.reasons:
        pair = np.stack([chosen, chosen])
        pair[:, int(reason.label[1:])] = 1, 0
        with_label, without = one.log_score(pair[None])[0]
        if np.isfinite(log_prob):
            np.testing.assert_allclose(
                reason.log_odds, with_label - without, rtol=1e-6, atol=1e-6 * (1 - log_prob)
            )
    if why.parts:
        carried = sum(part.weight * part.probability for part in why.parts)
        np.testing.assert_allclose(carried, why.probability, rtol=1e-8, atol=1e-300)
        assert sum(part.share for part in why.parts) == pytest.approx(1.0)
    expected = one.top_k(5)[0][0]
    rivals = [s for s in expected if (s != chosen).any() and np.isfinite(one.log_prob(s[None]))]
    assert [set(rival.labels) for rival in why.rivals] == [
        {f"y{k}" for k in np.flatnonzero(s)} for s in rivals[:4]
    ]
    for rival in why.rivals:
        assert set(rival.labels) == set(why.labels) - set(rival.removed) | set(rival.added)
    assert repr(why).startswith(" + ".join(why.labels) or "no label")
    assert [r["log_odds"] for r in why.to_dict()["reasons"]] == [r.log_odds for r in why.reasons]


@every_joint
@brief
@given(data=st.data(), rng=generators)
def test_masked_labels_are_unknown(joints, data, rng):
    joint = data.draw(joints)
    drawn = joint.sample(1, rng)[:, 0]
    hidden = rng.random(drawn.shape) < 0.5
    wrong_below = np.where(hidden, 7, drawn)
    expected = joint.log_evidence(np.where(hidden, np.nan, drawn))
    masked = np.ma.array(wrong_below, mask=hidden)
    np.testing.assert_array_equal(joint.log_evidence(masked), expected)


@every_joint
@brief
@given(data=st.data())
def test_draws_take_seeds_of_every_kind(joints, data):
    joint = data.draw(joints)
    by_seed = joint.sample(5, 7)
    np.testing.assert_array_equal(by_seed, joint.sample(5, np.random.default_rng(7)))
    np.testing.assert_array_equal(by_seed, joint.sample(5, np.int64(7)))
    old = joint.sample(5, np.random.RandomState(7))
    np.testing.assert_array_equal(old, joint.sample(5, np.random.RandomState(7)))
    assert joint.sample(5).shape == joint.sample(5, None).shape == by_seed.shape
    with pytest.raises(ValueError, match="must be None, an int"):
        joint.sample(5, "seed")


@every_joint
@brief
@given(data=st.data())
def test_wrong_arguments_are_named(joints, data):
    joint = data.draw(joints)
    n, L = len(joint), joint.n_labels
    with pytest.raises(ValueError, match="Y must have shape"):
        joint.log_prob(np.zeros((n, L + 1), dtype=np.uint8))
    with pytest.raises(ValueError, match="k must be at least 1"):
        joint.top_k(0)
    for wrong in (2.5, 2.0, "2", None, True):
        for ask in (joint.top_k, joint.certified):
            with pytest.raises(ValueError, match="k must be an integer"):
                ask(wrong)
    for wrong in (2.5, "2"):
        with pytest.raises(ValueError, match="max_size must be an integer"):
            joint.size_marginals(wrong)
        with pytest.raises(ValueError, match="n_draws must be an integer"):
            joint.sample(wrong, 0)
    with pytest.raises(ValueError, match="max_size must be at least 1"):
        joint.size_marginals(0)
    with pytest.raises(ValueError, match="support must list"):
        joint.restrict(np.zeros((0, L), dtype=np.uint8))
    with pytest.raises(ValueError, match="known must have shape"):
        joint.condition(np.zeros((n, L + 1)))
    with pytest.raises(ValueError, match="known must hold"):
        joint.condition(np.full((n, L), 0.5))
    with pytest.raises(ValueError, match="log_odds must have shape"):
        joint.tilt(np.zeros((n, L + 1)))
    for wrong in (np.inf, np.nan, 1e10):
        with pytest.raises(ValueError, match="log_odds must be finite"):
            joint.tilt(np.full((n, L), wrong))
        with pytest.raises(ValueError, match="log_odds must be finite"):
            joint.log_tilt(np.full((n, L), wrong))
    for ask in (joint.condition, joint.log_evidence):
        with pytest.raises(ValueError, match="known must be an array of numbers"):
            ask([["yes"] * L] * n)


@every_joint
@brief
@given(data=st.data())
def test_looks(joints, data):
    joint = data.draw(joints)
    assert len(repr(joint)) < 100
    best = np.exp(joint.top_k(1)[1][0, 0])
    assert f"}} {best:.3f}</td>" in joint._repr_html_()
