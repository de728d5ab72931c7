"""Every decoder against the best expected metric over all sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield.decode import (
    DECODERS,
    CalibratedF1Decoder,
    F1Decoder,
    HammingDecoder,
    JaccardDecoder,
    LabelThresholdDecoder,
    SubsetDecoder,
    TopKDecoder,
    resolve,
)
from labelfield.joints import (
    ChainJoint,
    IndependentJoint,
    IsingJoint,
    MixtureJoint,
    SupportJoint,
)
from labelfield.kernels.sets.bits import all_sets, pack
from laws import enumerate_law
from strategies import random_graph, random_log_weights, random_logits

KINDS = ["independent", "mixture", "support", "chain", "ising"]


def random_joint(kind, n, n_labels, seed):
    """Return a joint of n random laws, ties and near-certain labels among them."""
    rng = np.random.default_rng(seed)
    flavour = rng.choice(["usual", "ties", "extreme"])
    if kind == "independent":
        return IndependentJoint(random_logits(rng, (n, n_labels), flavour))
    if kind == "mixture":
        logits = random_logits(rng, (n, 3, n_labels), flavour)
        return MixtureJoint(random_log_weights(rng, (n, 3)), logits)
    if kind == "chain":
        logits = random_logits(rng, (n, n_labels), flavour)
        coupling = rng.normal(scale=2.0, size=(n_labels, n_labels))
        return ChainJoint.linear(logits, coupling, rng.permutation(n_labels))
    if kind == "ising":
        graph = random_graph(rng, n_labels, third_order=True)
        coupling = rng.normal(scale=2.0, size=(n, graph.n_cliques))
        return IsingJoint(random_logits(rng, (n, n_labels), flavour), graph, coupling)
    sets = all_sets(n_labels)
    return SupportJoint(sets, random_log_weights(rng, (n, len(sets))))


def law_of(joint):
    return enumerate_law(joint)[1]


def place(sets):
    """Return where sets (n, L) stand in the list of all sets."""
    return np.searchsorted(pack(all_sets(sets.shape[1])), pack(sets))


def hits(A, B):
    return A.astype(float) @ B.T


def f1(A, B):
    total = A.sum(axis=1)[:, None] + B.sum(axis=1)[None]
    return np.where(total > 0, 2 * hits(A, B) / np.maximum(total, 1), 1.0)


def jaccard(A, B):
    either = A.sum(axis=1, dtype=float)[:, None] + B.sum(axis=1)[None] - hits(A, B)
    return np.where(either > 0, hits(A, B) / np.maximum(either, 1), 1.0)


def exact_match(A, B):
    return (A[:, None] == B[None]).all(axis=2).astype(float)


def hamming(A, B):
    return (A[:, None] == B[None]).mean(axis=2)


METRICS = {"subset": exact_match, "hamming": hamming, "f1": f1, "jaccard": jaccard}


def assert_best(decoder, metric, joint, feasible, **options):
    """The decoder's sets are feasible and no feasible set has a higher expected metric."""
    sets, p = all_sets(joint.n_labels), law_of(joint)
    value = p @ metric(sets, sets).T
    best = value[:, feasible].max(axis=1)
    answer = decoder.decode(joint, **options)
    where = place(answer)
    assert feasible[where].all()
    np.testing.assert_allclose(value[np.arange(len(joint)), where], best, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["subset", "hamming", "f1", "jaccard"])
@pytest.mark.parametrize("n_labels", [1, 3, 8])
def test_equals_brute_force_on_many_laws(kind, name, n_labels):
    joint = random_joint(kind, 170, n_labels, seed=n_labels)
    everything = np.ones(2**n_labels, dtype=bool)
    assert_best(resolve(name), METRICS[name], joint, everything)


def test_f1_asks_a_field_for_its_sizes_once(monkeypatch):
    joint, calls = random_joint("ising", 4, 5, seed=1), []
    sizes = type(joint).size_marginals
    monkeypatch.setattr(
        type(joint), "size_marginals", lambda *args: calls.append(args) or sizes(*args)
    )
    F1Decoder().decode(joint)
    assert len(calls) == 1


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    name=st.sampled_from(["subset", "hamming", "f1", "jaccard"]),
    n_labels=st.integers(2, 6),
    bounds=st.tuples(st.integers(0, 6), st.integers(0, 6)),
    allow_empty=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_size_bounds_keep_the_optimum(kind, name, n_labels, bounds, allow_empty, seed):
    smallest, largest = sorted(min(b, n_labels) for b in bounds)
    if largest == 0:
        largest = 1
    joint = random_joint(kind, 5, n_labels, seed)
    decoder = type(resolve(name))(allow_empty=allow_empty, min_size=smallest, max_size=largest)
    sizes = all_sets(n_labels).sum(axis=1)
    feasible = (sizes >= smallest) & (sizes <= largest) & ((sizes > 0) | allow_empty)
    if kind == "support":  # a set of probability zero may be the only one of a size
        feasible_mass = law_of(joint)[:, feasible].sum(axis=1)
        joint = joint.take(np.flatnonzero(feasible_mass > 1e-12))
    assert_best(decoder, METRICS[name], joint, feasible)


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(["independent", "mixture", "chain", "ising"]),
    name=st.sampled_from(["subset", "hamming", "f1", "jaccard"]),
    n_labels=st.integers(1, 6),
    seed=st.integers(0, 10_000),
)
def test_allowed_sets_keep_the_optimum(kind, name, n_labels, seed):
    rng = np.random.default_rng(seed)
    sets = all_sets(n_labels)
    feasible = rng.random(len(sets)) < 0.4
    feasible[rng.integers(len(sets))] = True
    joint = random_joint(kind, 5, n_labels, seed)
    decoder = type(resolve(name))(allowed_sets=sets[feasible], allow_empty=True)
    assert_best(decoder, METRICS[name], joint, feasible)


@pytest.mark.parametrize("kind", KINDS)
def test_jaccard_is_certified_up_to_ten_labels(kind):
    joint = random_joint(kind, 20, 9, seed=1)
    decoder = JaccardDecoder()
    assert decoder.certified(joint).all()
    sets, p = all_sets(9), law_of(joint)
    worth, most = decoder.bounds(joint)
    best = (p @ jaccard(sets, sets).T).max(axis=1)
    np.testing.assert_allclose(worth, best, atol=1e-9)
    np.testing.assert_allclose(most, best, atol=1e-9)


def uncertain_joints(n_labels):
    """Return joints none of whose sets has much probability."""
    rng = np.random.default_rng(0)
    logits = rng.normal(-1.0, 1.5, (20, n_labels))
    graph = random_graph(rng, n_labels, third_order=False)
    listed = all_sets(n_labels)[rng.choice(2**n_labels, 300, replace=False)]
    return {
        "independent": IndependentJoint(logits),
        "mixture": MixtureJoint(
            np.log(rng.dirichlet(np.ones(4), 20)), rng.normal(-1.0, 2.0, (20, 4, n_labels))
        ),
        "ising": IsingJoint(logits, graph, rng.normal(0.0, 0.5, graph.n_cliques)),
        "support": SupportJoint(listed, np.log(rng.dirichlet(np.full(300, 0.3), 20) + 1e-300)),
    }


@pytest.mark.parametrize("kind", ["independent", "mixture", "ising", "support"])
def test_jaccard_of_more_labels_stays_within_its_bounds(kind):
    joint = uncertain_joints(12)[kind]
    sets = all_sets(12)
    p = np.exp(joint.log_prob(np.broadcast_to(sets, (20, *sets.shape))))
    value = p @ jaccard(sets, sets).T
    got = value[np.arange(20), place(JaccardDecoder().decode(joint))]
    worth, most = JaccardDecoder().bounds(joint)
    assert (worth <= got + 1e-9).all()
    assert (value.max(axis=1) <= most + 1e-9).all()
    assert (value.max(axis=1) - got).max() < 0.005
    proven = JaccardDecoder().certified(joint)
    np.testing.assert_allclose(got[proven], value.max(axis=1)[proven], atol=1e-8)
    sizes = sets.sum(axis=1)
    bounded = JaccardDecoder(min_size=2, max_size=3).decode(joint)
    reached = value[np.arange(20), place(bounded)]
    assert (value[:, (sizes >= 2) & (sizes <= 3)].max(axis=1) - reached).max() < 0.005
    listed = sets[1::97]
    chosen = JaccardDecoder(allowed_sets=listed).decode(joint)
    reached = value[np.arange(20), place(chosen)]
    assert (value[:, 1::97].max(axis=1) - reached).max() < 0.02


def test_a_certain_set_of_many_labels_is_proven_best():
    joint = SupportJoint(np.eye(30)[:2], np.log([[1.0 - 1e-13, 1e-13]]))
    assert JaccardDecoder().certified(joint).all()
    np.testing.assert_array_equal(JaccardDecoder().decode(joint), np.eye(30)[:1])


def test_decoders_say_which_rows_are_proven():
    assert not JaccardDecoder().exact
    assert F1Decoder().exact
    joint = random_joint("mixture", 5, 4, seed=0)
    assert F1Decoder().certified(joint).all()
    assert not LabelThresholdDecoder().certified(joint).any()
    with pytest.raises(ValueError, match="max_size"):
        F1Decoder(max_size=-1).certified(joint)


def test_empty_set_rule():
    joint = random_joint("independent", 200, 3, seed=5)
    assert not SubsetDecoder().decode(joint, empty_seen=True).any(axis=1).all()
    assert SubsetDecoder().decode(joint, empty_seen=False).any(axis=1).all()
    assert F1Decoder().decode(joint, empty_seen=False).any(axis=1).all()
    plain = HammingDecoder().decode(joint, empty_seen=False)
    np.testing.assert_array_equal(plain, joint.marginals() > 0.5)


def test_top_k_names_the_most_probable_labels():
    joint = random_joint("mixture", 20, 6, seed=2)
    answer = TopKDecoder(k=2).decode(joint)
    marginals = joint.marginals()
    for row, p in zip(answer, marginals):
        assert set(np.flatnonzero(row)) == set(np.argsort(-p)[:2])
    assert TopKDecoder(k=9).decode(joint).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_size": 4}, "min_size=4"),
        ({"max_size": -1}, "max_size"),
        ({"min_size": 0.5}, "min_size"),
        ({"allow_empty": "yes"}, "allow_empty"),
        ({"allow_empty": False, "max_size": 0}, "No set"),
        ({"allowed_sets": [[1, 0]]}, "allowed_sets"),
        ({"allowed_sets": [[2, 0, 0]]}, "allowed_sets"),
        ({"allowed_sets": [[1, 1, 1]], "max_size": 2}, "None of the 1"),
    ],
)
def test_impossible_constraints_are_refused(options, words):
    joint = random_joint("independent", 2, 3, seed=0)
    with pytest.raises(ValueError, match=words):
        SubsetDecoder(**options).decode(joint)


@pytest.mark.parametrize(
    ("decoder", "name"),
    [
        (TopKDecoder(k=-1), "k"),
        (TopKDecoder(k=0), "k"),
        (TopKDecoder(k=2.5), "k"),
        (TopKDecoder(k=np.float64(2.0)), "k"),
        (TopKDecoder(k=True), "k"),
        (TopKDecoder(k="3"), "k"),
        (F1Decoder(max_size=-1), "max_size"),
        (F1Decoder(max_size=2.0), "max_size"),
        (HammingDecoder(min_size=None), "min_size"),
        (SubsetDecoder(allow_empty="yes"), "allow_empty"),
        (SubsetDecoder(allowed_sets=3), "allowed_sets"),
        (JaccardDecoder(n_candidates=0), "n_candidates"),
        (LabelThresholdDecoder(average="weighted"), "average"),
        (LabelThresholdDecoder(prior_positives=-1), "prior_positives"),
        (CalibratedF1Decoder(cv=1), "cv"),
        (CalibratedF1Decoder(margin=np.nan), "margin"),
        (CalibratedF1Decoder(min_positive=0), "min_positive"),
        (CalibratedF1Decoder(random_state="seed"), "random_state"),
    ],
)
def test_wrong_parameters_are_refused_by_name_wherever_a_decoder_is_used(decoder, name):
    message = f"The {name!r} parameter of {type(decoder).__name__} must be"
    with pytest.raises(ValueError, match=message):
        resolve(decoder)
    with pytest.raises(ValueError, match=message):
        decoder.decode(random_joint("independent", 2, 3, seed=0))
    if decoder.needs_fit:
        with pytest.raises(ValueError, match=message):
            decoder.fit(np.full((4, 3), 0.5), np.ones((4, 3)))


def test_every_parameter_of_a_decoder_has_a_constraint():
    for make in DECODERS.values():
        decoder = make()
        assert set(decoder.get_params()) == set(decoder._parameter_constraints)
    assert set(CalibratedF1Decoder().get_params()) == set(
        CalibratedF1Decoder._parameter_constraints
    )


def test_rows_without_a_possible_allowed_set_get_the_likeliest_one():
    law = np.array([[1.0, 0.0, 0.0], [0.2, 0.5, 0.3]])
    with np.errstate(divide="ignore"):
        joint = SupportJoint([[1, 1, 0], [0, 1, 1], [0, 0, 1]], np.log(law))
    decoder = SubsetDecoder(allowed_sets=[[0, 1, 1], [0, 0, 1], [1, 0, 0]])
    with pytest.warns(RuntimeWarning, match="In 1 rows all allowed_sets have probability zero"):
        answer = decoder.decode(joint)
    # marginals of the first row are (1, 1, 0): presence of the first label alone costs nothing
    np.testing.assert_array_equal(answer, [[1, 0, 0], [0, 1, 1]])
    np.testing.assert_array_equal(decoder.decode(joint.take([1])), [[0, 1, 1]])


def test_unknown_decoder_name():
    with pytest.raises(ValueError, match=r"subset.*got 'best'"):
        resolve("best")
