import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield import metrics

examples = settings(max_examples=25, deadline=None)


def textbook(confidence, correct):
    """Sums over ten bins, written out."""
    n, acc = len(confidence), np.mean(correct)
    bins = [min(int(np.floor(10 * c)), 9) for c in confidence]
    sharpness = alignment = ece = 0.0
    for b in range(10):
        inside = [i for i in range(n) if bins[i] == b]
        if not inside:
            continue
        acc_b = np.mean([correct[i] for i in inside])
        sharpness += len(inside) / n * (acc_b - acc) ** 2
        alignment += sum((acc_b - confidence[i]) ** 2 for i in inside) / n
        ece += len(inside) / n * abs(acc_b - np.mean([confidence[i] for i in inside]))
    return {
        metrics.brier_score: np.mean([(c - v) ** 2 for c, v in zip(confidence, correct)]),
        metrics.uncertainty: acc * (1 - acc),
        metrics.sharpness: sharpness,
        metrics.alignment_error: alignment,
        metrics.expected_calibration_error: ece,
    }


MEASURES = list(textbook([0.5], [1]))
rows = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0, 1])), min_size=1, max_size=30)


@examples
@given(rows=rows)
def test_measures_equal_the_sums_over_bins(rows):
    confidence, correct = map(list, zip(*rows))
    for measure, expected in textbook(confidence, correct).items():
        assert measure(confidence, correct) == pytest.approx(expected, abs=1e-12)


@examples
@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.floats(0, 1)), min_size=1, max_size=30),
)
def test_square_error_splits_when_confidence_is_constant_inside_bins(rows):
    bins, correct = map(np.array, zip(*rows))
    confidence = (bins + 0.37) / 10
    parts = metrics.uncertainty(confidence, correct) - metrics.sharpness(confidence, correct)
    parts += metrics.alignment_error(confidence, correct)
    assert metrics.brier_score(confidence, correct) == pytest.approx(parts, abs=1e-12)


def test_the_split_misses_the_spread_inside_a_bin():
    confidence, correct = [0.51, 0.59], [0, 1]
    parts = 0.25 - 0.0 + metrics.alignment_error(confidence, correct)
    assert metrics.brier_score(confidence, correct) == pytest.approx(parts - 0.04)


@pytest.mark.parametrize("measure", MEASURES)
def test_rows_of_unknown_truth_are_left_out(measure):
    confidence, correct = np.array([0.2, 0.9, 0.4, 0.4]), np.array([0, np.nan, 1, 0])
    kept = [0, 2, 3]
    assert measure(confidence, correct) == measure(confidence[kept], correct[kept])


def test_reliability_bins_by_hand():
    bins = metrics.reliability_bins([0.05, 0.95, 1.0, 0.3], [0, 1, 0, 1])
    np.testing.assert_array_equal(bins["count"], [1, 0, 0, 1, 0, 0, 0, 0, 0, 2])
    np.testing.assert_allclose(bins["edges"], np.arange(11) / 10)
    empty = [np.nan]
    np.testing.assert_allclose(bins["confidence"], [0.05, *empty * 2, 0.3, *empty * 5, 0.975])
    np.testing.assert_allclose(bins["accuracy"], [0.0, *empty * 2, 1.0, *empty * 5, 0.5])


def test_a_rounding_error_above_one_is_forgiven():
    assert metrics.brier_score([1.0 + 1e-12], [1]) == 0.0


@pytest.mark.parametrize(
    ("confidence", "correct", "message"),
    [
        ([1.1], [1], "confidence must lie in"),
        ([np.nan], [1], "confidence must lie in"),
        ([0.5], [2], "correct must lie in"),
        ([0.5, 0.5], [1], "confidence has 2 rows and correct has 1"),
        ([[0.5]], [1], "confidence has 2 dimensions"),
        ([0.5], [np.nan], "no known row"),
        ([], [], "no known row"),
    ],
)
def test_bad_input_is_named(confidence, correct, message):
    with pytest.raises(ValueError, match=message):
        metrics.brier_score(confidence, correct)


def test_number_of_bins_is_checked():
    with pytest.raises(ValueError, match="n_bins=0"):
        metrics.sharpness([0.5], [1], n_bins=0)
