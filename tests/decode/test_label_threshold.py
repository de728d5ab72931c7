"""Thresholds of labels against a textbook search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit
from sklearn.metrics import f1_score

from labelfield import BinaryRelevance
from labelfield.datasets import make_multilabel
from labelfield.decode import LabelThresholdDecoder
from labelfield.decode.label_threshold import _mean_f1_above
from labelfield.joints import IndependentJoint


def mean_f1(A, Y):
    return f1_score(Y, A, average="samples", zero_division=1.0)


def slow_threshold(p, y):
    """Try every gap between scores."""
    cuts = np.append(np.unique(p), 0.0)
    cuts = np.sort(cuts)
    middles = (cuts[1:] + cuts[:-1]) / 2
    f1s = [2 * ((p > c) & (y > 0)).sum() / ((p > c).sum() + y.sum()) for c in middles]
    return max(f1s)


@settings(max_examples=50, deadline=None)
@given(n=st.integers(2, 30), seed=st.integers(0, 10_000))
def test_thresholds_attain_the_best_macro_and_micro_f1(n, seed):
    rng = np.random.default_rng(seed)
    P, Y = rng.random((n, 3)).round(1), rng.integers(0, 2, (n, 3))
    Y[0] = 1
    P = np.maximum(P, 0.05)
    macro = LabelThresholdDecoder(average="macro", prior_positives=0).fit(P, Y).thresholds_
    for j in range(3):
        z = P[:, j] > macro[j]
        got = 2 * (z & (Y[:, j] > 0)).sum() / (z.sum() + Y[:, j].sum())
        assert got == pytest.approx(slow_threshold(P[:, j], Y[:, j]))
    micro = LabelThresholdDecoder(average="micro").fit(P, Y).thresholds_
    z = (micro[0] < P).ravel()
    got = 2 * (z & (Y.ravel() > 0)).sum() / (z.sum() + Y.sum())
    assert got == pytest.approx(slow_threshold(P.ravel(), Y.ravel()))


def test_a_rare_label_does_not_pass_everywhere():
    """Two rows in 1000 have the second label, and its scores say nothing about which."""
    rng = np.random.default_rng(0)
    Y = np.stack([rng.random(1000) < 0.3, np.arange(1000) < 2], axis=1).astype(int)
    P = np.stack([0.3 + 0.4 * (Y[:, 0] - 0.3), rng.uniform(0.001, 0.003, 1000)], axis=1)
    P[:2, 1] = 0.001
    best = LabelThresholdDecoder(prior_positives=0).fit(P, Y).thresholds_
    assert (P[:, 1] > best[1]).mean() > 0.9
    decoder = LabelThresholdDecoder().fit(P, Y)
    assert not (P[:, 1] > decoder.thresholds_[1]).any()
    shared = LabelThresholdDecoder(average="micro").fit(P, Y).thresholds_[0]
    log_odds = logit(best) + 5 / (5 + Y.sum(axis=0)) * (logit(shared) - logit(best))
    np.testing.assert_allclose(logit(decoder.thresholds_), log_odds)


def test_shared_threshold_for_samples_f1():
    rng = np.random.default_rng(0)
    P, Y = rng.random((40, 4)), rng.integers(0, 2, (40, 4))
    cut = LabelThresholdDecoder(average="samples").fit(P, Y).thresholds_[0]
    best = max(mean_f1((c < P).astype(int), Y) for c in np.linspace(0, 1, 400))
    assert mean_f1((cut < P).astype(int), Y) >= best - 1e-9


def test_mean_f1_of_all_cuts_at_once():
    rng = np.random.default_rng(0)
    P, Y = rng.integers(0, 6, (50, 4)) / 5.0, rng.integers(0, 2, (50, 4))  # ties, empty rows
    Y[:10] = 0
    cuts = np.append(np.linspace(-0.1, 1.1, 25), 0.4)
    slow = [mean_f1((cut < P).astype(int), Y) for cut in cuts]
    np.testing.assert_allclose(_mean_f1_above(cuts, P, Y), slow, atol=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "samples"])
def test_a_model_learns_the_thresholds_of_its_decoder(average):
    data = make_multilabel(n_samples=60, n_labels=4, random_state=0)
    model = BinaryRelevance(alpha=1.0, decoder=f"threshold_f1_{average}").fit(data.X, data.Y)
    thresholds = model._fitted_decoder.thresholds_
    assert len(np.unique(thresholds)) == (4 if average == "macro" else 1)
    expected = model.predict_proba(data.X) > thresholds
    np.testing.assert_array_equal(model.predict(data.X), expected)


def test_unknown_labels_are_left_out_of_thresholds():
    rng = np.random.default_rng(0)
    P, Y = rng.random((60, 2)), rng.integers(0, 2, (60, 2)).astype(float)
    holed = Y.copy()
    holed[:20] = np.nan
    for average in ("macro", "micro", "samples"):
        masked = LabelThresholdDecoder(average=average).fit(P, holed).thresholds_
        dropped = LabelThresholdDecoder(average=average).fit(P[20:], Y[20:]).thresholds_
        np.testing.assert_allclose(masked, dropped)


def test_threshold_decoder_asks_for_fit():
    joint = IndependentJoint(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="held-out"):
        LabelThresholdDecoder().decode(joint)
    with pytest.raises(ValueError, match="one shape"):
        LabelThresholdDecoder().fit(np.zeros((3, 2)), np.zeros((3, 1)))
    fitted = LabelThresholdDecoder().fit(np.full((4, 2), 0.5), np.ones((4, 2)))
    with pytest.raises(ValueError, match="2 labels"):
        fitted.decode(joint)
