"""Joints of tensors answer what the same joints of numpy answer, where they live."""

import numpy as np
import pytest

from labelfield import (
    F1Decoder,
    HammingDecoder,
    IndependentJoint,
    LabelRules,
    MixtureJoint,
    PooledJoint,
    SubsetDecoder,
    SupportJoint,
    TopKDecoder,
)
from labelfield._namespaces import is_tensor, place_of, to_host
from labelfield.kernels.sets.bits import all_sets
from labelfield.metrics import f1_score, hamming_loss, roc_auc, subset_accuracy

N, L = 7, 4


def independent(rng):
    logits = rng.normal(scale=2.0, size=(N, L))
    logits[0, 0], logits[1, 1] = np.inf, -np.inf
    return IndependentJoint(logits)


def mixture(rng):
    return MixtureJoint(np.log(rng.dirichlet(np.ones(3), N)), 2.0 * rng.normal(size=(N, 3, L)))


def support(rng):
    sets = all_sets(L)[rng.permutation(2**L)[:9]]
    return SupportJoint(sets, np.log(rng.dirichlet(np.ones(9), N)))


def pool(rng):
    return PooledJoint([independent(rng), mixture(rng)], rng.dirichlet(np.ones(2), N))


KINDS = [independent, mixture, support, pool]
SETS = all_sets(L)
ANSWERS = {
    "marginals": lambda joint, rng: joint.marginals(),
    "pair_marginals": lambda joint, rng: joint.pair_marginals(),
    "size_marginals": lambda joint, rng: joint.size_marginals(),
    "two_sizes": lambda joint, rng: joint.size_marginals(2),
    "size_distribution": lambda joint, rng: joint.size_distribution(),
    "log_prob": lambda joint, rng: joint.log_prob(np.broadcast_to(SETS, (N, *SETS.shape))),
    "log_scores_of": lambda joint, rng: joint.log_scores_of(SETS),
    "mode": lambda joint, rng: joint.mode(),
    "mode_not_empty": lambda joint, rng: joint.mode(allow_empty=False),
    "sized_mode": lambda joint, rng: joint.sized_mode(2, 3),
    "top_k": lambda joint, rng: joint.top_k(3),
    "certified": lambda joint, rng: joint.certified(2),
    "sample": lambda joint, rng: joint.sample(5, rng=0),
    "restrict": lambda joint, rng: joint.restrict(SETS).marginals(),
    "take": lambda joint, rng: joint.take(np.array([4, 1])).marginals(),
    "tilt": lambda joint, rng: joint.tilt(rng.normal(size=(N, L))).marginals(),
    "log_tilt": lambda joint, rng: joint.log_tilt(rng.normal(size=L)),
    "log_evidence": lambda joint, rng: joint.log_evidence(known(rng)),
}


def known(rng):
    return np.where(rng.random((N, L)) < 0.6, np.nan, (rng.random((N, L)) < 0.5).astype(float))


def compare(found, wanted, place):
    """Check that an answer lives in a place and holds the wanted numbers."""
    if isinstance(wanted, tuple):
        for one, other in zip(found, wanted, strict=True):
            compare(one, other, place)
        return
    assert is_tensor(found)
    assert place_of(found) == place
    assert to_host(found).dtype == wanted.dtype
    np.testing.assert_allclose(to_host(found), wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("kind", KINDS)
def test_answers_follow_the_joint(kind, answer, place):
    joint, ask = kind(np.random.default_rng(0)), ANSWERS[answer]
    wanted = ask(joint, np.random.default_rng(1))
    compare(ask(joint.to(place), np.random.default_rng(1)), wanted, place)


@pytest.mark.parametrize("kind", KINDS)
def test_joints_are_made_of_tensors(kind, place):
    joint = kind(np.random.default_rng(0))
    arrays = {name: place.asarray(getattr(joint, name)) for name in joint._row_arrays}
    if kind is support:
        made = SupportJoint(joint.sets, arrays["log_weights"])
    elif kind is pool:
        members = [member.to(place) for member in joint.joints]
        made = PooledJoint(members, place.asarray(np.exp(joint.log_weights)))
    else:
        made = type(joint)(**arrays)
    compare(made.marginals(), joint.marginals(), place)


@pytest.mark.parametrize("kind", KINDS)
def test_known_labels_condition(kind, place):
    joint = kind(np.random.default_rng(0))
    marks = np.full((N, L), np.nan)
    marks[2:, 3] = joint.mode()[2:, 3]
    wanted = joint.condition(marks).marginals()
    compare(joint.to(place).condition(place.asarray(marks)).marginals(), wanted, place)


@pytest.mark.parametrize("kind", KINDS)
def test_rules_bind(kind, place):
    joint = kind(np.random.default_rng(0))
    rules = LabelRules(list("abcd")).implies("c", "d")
    wanted = joint.given_rules(rules).marginals()
    found = joint.to(place).given_rules(rules).marginals()
    np.testing.assert_allclose(to_host(found), wanted, rtol=1e-10, atol=1e-12)


DECODERS = [
    SubsetDecoder(),
    SubsetDecoder(allow_empty=False),
    SubsetDecoder(min_size=2, max_size=3),
    SubsetDecoder(allowed_sets=SETS[3:9]),
    HammingDecoder(),
    HammingDecoder(min_size=2),
    HammingDecoder(allowed_sets=SETS[3:9]),
    F1Decoder(),
    F1Decoder(allow_empty=False, max_size=2),
    F1Decoder(allowed_sets=SETS[:9]),
    TopKDecoder(k=2),
    TopKDecoder(k=2, allowed_sets=SETS[:9]),
]


@pytest.mark.filterwarnings("ignore:In . rows all allowed_sets have probability zero")
@pytest.mark.parametrize("decoder", DECODERS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_decisions_follow_the_joint(kind, decoder, place):
    joint = kind(np.random.default_rng(0))
    compare(decoder.decode(joint.to(place)), decoder.decode(joint), place)
    compare(decoder.certified(joint.to(place)), decoder.certified(joint), place)


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_stays(kind):
    torch = pytest.importorskip("torch", reason="not installed: pip install torch")
    joint = kind(np.random.default_rng(0))
    single = joint.to(place_of(torch.zeros(1)))
    for part in getattr(single, "joints", [single]):
        for name in part._row_arrays:
            setattr(part, name, getattr(part, name).float())
    single.__dict__.update({name: getattr(single, name).float() for name in single._row_arrays})
    assert single.marginals().dtype == torch.float32
    assert single.log_prob(joint.mode()).dtype == torch.float32
    np.testing.assert_allclose(single.marginals().numpy(), joint.marginals(), rtol=2e-5, atol=1e-6)
    chosen = F1Decoder().decode(single).numpy()
    np.testing.assert_array_equal(chosen, F1Decoder().decode(joint))


def test_wrong_tensors_are_refused(place):
    with pytest.raises(ValueError, match="hold NaN"):
        IndependentJoint(place.asarray(np.array([[np.nan]])))
    with pytest.raises(ValueError, match="must be normalised"):
        MixtureJoint(place.asarray(np.zeros((1, 2))), place.asarray(np.zeros((1, 2, 1))))
    joint = IndependentJoint(place.asarray(np.zeros((1, 2))))
    with pytest.raises(ValueError, match=r"must hold 0 and 1 only, got 2"):
        joint.log_prob(place.asarray(np.array([[0.0, 2.0]])))
    with pytest.raises(ValueError, match="shape"):
        joint.log_prob(place.asarray(np.zeros((1, 3))))


def test_measures_take_tensors(place):
    rng = np.random.default_rng(0)
    truth, predicted = (rng.random((2, N, L)) < 0.5).astype(np.uint8)
    scores = rng.normal(size=(N, L))
    there = place.asarray(truth), place.asarray(predicted)
    assert f1_score(*there) == f1_score(truth, predicted)
    assert subset_accuracy(*there) == subset_accuracy(truth, predicted)
    assert hamming_loss(*there) == hamming_loss(truth, predicted)
    assert roc_auc(there[0], place.asarray(scores)) == roc_auc(truth, scores)
