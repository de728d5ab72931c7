"""Reliability and automation: what is drawn against loops over the rows."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy.stats import binomtest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from labelfield import (
    AutomationDisplay,
    BinaryRelevance,
    CalibratedSetClassifier,
    LabelPowerset,
    ReliabilityDisplay,
    make_pipeline,
)
from labelfield.datasets import make_multilabel

DATA = make_multilabel(n_samples=240, n_labels=3, random_state=0)
X, Y, X_NEW, Y_NEW = DATA.X[:120], DATA.Y[:120], DATA.X[120:], DATA.Y[120:]
BOTH = [ReliabilityDisplay, AutomationDisplay]


@pytest.fixture(scope="module")
def model():
    return LabelPowerset(alpha=1.0).fit(X, Y)


def stated_and_right(model, X, Y):
    sets = model.predict(X)
    confidence = np.exp(model.predict_joint(X).log_prob(sets))
    return confidence, [all(a == b for a, b in zip(*pair)) for pair in zip(sets, Y)]


def test_points_of_the_reliability_diagram_are_means_of_bins(model):
    display = ReliabilityDisplay.from_estimator(model, X_NEW, Y_NEW, n_bins=4)
    confidence, right = stated_and_right(model, X_NEW, Y_NEW)
    points, bars = [], []
    for low in (0.0, 0.25, 0.5, 0.75):
        rows = [i for i, c in enumerate(confidence) if low <= c < low + 0.25 or low + c == 1.75]
        if rows:
            hits = sum(right[i] for i in rows)
            points.append((np.mean(confidence[rows]), hits / len(rows)))
            interval = binomtest(hits, len(rows)).proportion_ci(0.95)
            bars.append((interval.low, interval.high))
    line, _, (segments,) = display.bars_
    np.testing.assert_allclose(line.get_xydata(), points)
    drawn = [segment[:, 1] for segment in segments.get_segments()]
    np.testing.assert_allclose(drawn, bars, atol=1e-9)


def test_the_automation_curve_accepts_the_most_confident_first(model):
    display = AutomationDisplay.from_estimator(model, X_NEW, Y_NEW, target=0.7)
    confidence, right = stated_and_right(model, X_NEW, Y_NEW)
    expected = []
    for threshold in sorted(set(confidence), reverse=True):
        accepted = [right[i] for i, c in enumerate(confidence) if c >= threshold]
        expected.append((len(accepted) / len(right), np.mean(accepted)))
    np.testing.assert_allclose(display.line_.get_xydata(), expected)
    assert display.chosen_ == pytest.approx([p for p in expected if p[1] >= 0.7][-1])
    assert f"accept {display.chosen_[0]:.0%}" in [text.get_text() for text in display.ax_.texts]


def test_the_band_is_the_exact_interval():
    display = AutomationDisplay.from_predictions([0.9, 0.8, 0.7], [1, 0, 1])
    corners = display.band_.get_paths()[0].vertices
    for share, hits, rows in [(1 / 3, 1, 1), (2 / 3, 1, 2), (1.0, 2, 3)]:
        interval = binomtest(hits, rows).proportion_ci(0.95)
        drawn = corners[np.isclose(corners[:, 0], share), 1]
        assert drawn.min() == pytest.approx(interval.low)
        assert drawn.max() == pytest.approx(interval.high)


@pytest.mark.parametrize("Display", BOTH)
def test_rows_with_an_unknown_label_are_left_out(Display, model):
    unknown = Y_NEW.astype(float)
    unknown[::2, 0] = np.nan
    shown = Display.from_estimator(model, X_NEW, unknown)
    twin = Display.from_estimator(model, X_NEW[1::2], Y_NEW[1::2])
    np.testing.assert_allclose(shown.accuracy, twin.accuracy)


@pytest.mark.parametrize("Display", BOTH)
def test_calibrated_pipelines_and_tags_are_read(Display):
    tags = [[f"tag {k}" for k in np.flatnonzero(row)] for row in Y]
    inner = make_pipeline(StandardScaler(), BinaryRelevance(alpha=1.0))
    calibrated = CalibratedSetClassifier(inner, cv=2, calibrator="identity").fit(X, tags)
    outer = make_pipeline(StandardScaler(), calibrated)
    outer.steps[0][1].fit(X)
    shown = Display.from_estimator(outer, X_NEW[:50], tags[:50])
    confidence = outer.predict_confidence(X_NEW[:50])
    right = (outer.predict(X_NEW[:50]) == Y[:50]).all(axis=1)
    twin = Display.from_predictions(confidence, right)
    np.testing.assert_allclose(shown.accuracy, twin.accuracy)
    assert shown.name == "CalibratedSetClassifier"


@pytest.mark.parametrize("Display", BOTH)
def test_the_axes_given_are_used_and_can_be_shared(Display):
    _, ax = plt.subplots()
    first = Display.from_predictions([0.9, 0.3], [1, 0], name="one", ax=ax, color="black")
    second = Display.from_predictions([0.9, 0.3], [1, 1], name="two", ax=ax)
    assert first.ax_ is second.ax_ is ax
    assert first.figure_ is ax.figure
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one", "two"]
    again = first.plot()
    assert again is first
    assert first.ax_ is not ax


@pytest.mark.parametrize("Display", BOTH)
def test_a_model_without_confidence_is_told_the_way(Display):
    other = OneVsRestClassifier(GaussianNB()).fit(X, Y)
    with pytest.raises(ValueError, match="OneVsRestClassifier does not say .* CalibratedSet"):
        Display.from_estimator(other, X_NEW, Y_NEW)


@pytest.mark.parametrize("Display", BOTH)
def test_wrong_shapes_are_named(Display, model):
    with pytest.raises(ValueError, match=r"y has shape \(120, 2\), but .* \(120, 3\)"):
        Display.from_estimator(model, X_NEW, Y_NEW[:, :2])
    with pytest.raises(ValueError, match="confidence must lie in"):
        Display.from_predictions([2.0], [1])


def test_a_target_out_of_reach_chooses_nothing():
    display = AutomationDisplay.from_predictions([0.9, 0.3], [0, 1], target=0.9)
    assert display.chosen_ is None
    with pytest.raises(ValueError, match="target=2"):
        AutomationDisplay.from_predictions([0.9], [1], target=2)
