"""The decision for exact match with learned weights of the labels."""

import numpy as np
import pytest

from labelfield import BinaryRelevance, IndependentJoint, LabelSetClassifier, TiltedSubsetDecoder
from labelfield.datasets import make_multilabel
from labelfield.decode.tilted_subset import SHARPNESS, _lost_share
from labelfield.metrics import subset_accuracy

RNG = np.random.default_rng(0)
LOG_ODDS = 2.0 * RNG.normal(size=(3000, 3))
Y = (RNG.random((3000, 3)) < 1 / (1 + np.exp(-LOG_ODDS))).astype(np.uint8)
WRONG = np.array([0.0, 2.0, -2.0])


def fitted(joint, labels, **options):
    decoder = TiltedSubsetDecoder(**options)
    return decoder.fit(decoder.evidence(joint, 3), labels)


def test_what_a_law_gets_wrong_is_taken_back():
    biased = IndependentJoint(LOG_ODDS + WRONG)
    decoder = fitted(biased.take(slice(0, 2000)), Y[:2000])
    assert np.abs(decoder.tilt_ + WRONG).max() < 0.7
    assert decoder.gain_ > 10 * decoder.gain_error_
    new, truth = biased.take(slice(2000, 3000)), Y[2000:]
    before = subset_accuracy(truth, new.mode())
    best = subset_accuracy(truth, IndependentJoint(LOG_ODDS[2000:]).mode())
    got = subset_accuracy(truth, decoder.decode(new))
    assert before + 0.1 < got
    assert got > best - 0.02


def test_a_law_that_is_right_is_left_alone():
    right = IndependentJoint(LOG_ODDS)
    decoder = fitted(right, Y)
    assert not decoder.tilt_.any()
    np.testing.assert_array_equal(decoder.decode(right), right.mode())


def test_share_and_gradient_equal_the_sums_over_all_sets():
    joint = IndependentJoint(LOG_ODDS[:50])
    evidence = TiltedSubsetDecoder(n_candidates=8).evidence(joint, 3).astype(np.float64)
    sets, log_prob = evidence[:, :, :-1], evidence[:, :, -1]
    right = (sets == Y[:50, None]).all(axis=2)
    tilt = np.array([0.3, -0.2, 0.5])
    value, gradient = _lost_share(tilt, sets, log_prob, right)
    expected = 0.0
    for row in range(50):
        powers = [np.exp(p + s @ tilt) ** SHARPNESS for s, p in zip(sets[row], log_prob[row])]
        expected -= powers[int(right[row].argmax())] / sum(powers)
    assert value == pytest.approx(expected)
    for label in range(3):
        step = 1e-6 * np.eye(3)[label]
        values = [_lost_share(tilt + s, sets, log_prob, right)[0] for s in (step, -step)]
        assert gradient[label] == pytest.approx((values[0] - values[1]) / 2e-6, rel=1e-5)


def test_rows_with_unknown_labels_and_empty_sets_say_nothing():
    biased, some = IndependentJoint(LOG_ODDS + WRONG), Y.any(axis=1)
    holed = Y.astype(float)
    holed[~some, 0] = np.nan
    whole = fitted(biased, holed)
    np.testing.assert_allclose(whole.tilt_, fitted(biased.take(some), Y[some]).tilt_)
    assert (whole.tilt_ < 0.5 - WRONG).all()  # none is raised to beat the empty set


def test_every_way_to_learn_and_to_ask():
    data = make_multilabel(n_samples=200, n_labels=3, random_state=0)
    one = BinaryRelevance(decoder="tilted_subset", alpha=1.0).fit(data.X, data.Y)
    assert one.predict(data.X).shape == data.Y.shape
    auto = LabelSetClassifier(budget="quick", cv=2).fit(data.X, data.Y)
    sets = auto.predict(data.X, decoder="tilted_subset")
    tilted = auto.predict_joint(data.X).tilt(auto._learned["tilted_subset"].tilt_)
    np.testing.assert_array_equal(sets, tilted.mode(allow_empty=auto.empty_seen_))


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: TiltedSubsetDecoder().decode(IndependentJoint(LOG_ODDS)), "not learned yet"),
        (lambda: TiltedSubsetDecoder().fit(LOG_ODDS, Y), r"\(n, k, L \+ 1\)"),
        (
            lambda: fitted(IndependentJoint(LOG_ODDS), Y).decode(IndependentJoint(LOG_ODDS[:, :2])),
            "learned weights of 3 labels",
        ),
    ],
)
def test_wrong_use_is_named(act, words):
    with pytest.raises(Exception, match=words):
        act()


def test_without_a_row_of_known_labels_nothing_is_learned():
    unknown = np.where(np.arange(3) == 1, np.nan, Y[:20].astype(float))
    decoder = fitted(IndependentJoint(LOG_ODDS[:20]), unknown)
    assert (decoder.gain_, decoder.gain_error_) == (0.0, 0.0)
    assert not decoder.tilt_.any()
