import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield import metrics

examples = settings(max_examples=25, deadline=None)

tied_rows = st.lists(
    st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), st.sampled_from([0, 1])),
    min_size=1,
    max_size=20,
)


@examples
@given(rows=tied_rows)
def test_curve_equals_accepting_above_each_confidence(rows):
    confidence, correct = map(np.array, zip(*rows))
    share, accuracy, threshold = metrics.automation_curve(confidence, correct)
    np.testing.assert_array_equal(threshold, np.unique(confidence)[::-1])
    for s, a, t in zip(share, accuracy, threshold):
        accepted = confidence >= t
        assert s == pytest.approx(accepted.mean())
        assert a == pytest.approx(correct[accepted].mean())


@examples
@given(rows=tied_rows, wanted=st.sampled_from([0.0, 0.5, 0.9, 1.0]))
def test_share_is_the_largest_that_a_threshold_allows(rows, wanted):
    confidence, correct = map(np.array, zip(*rows))
    shares = [0.0]
    for t in confidence:
        accepted = confidence >= t
        if correct[accepted].mean() >= wanted:
            shares.append(accepted.mean())
    assert metrics.share_at_accuracy(confidence, correct, wanted) == max(shares)


def test_a_later_recovery_counts():
    confidence, correct = [0.9, 0.8, 0.7, 0.6, 0.5], [0, 1, 1, 1, 0]
    assert metrics.share_at_accuracy(confidence, correct, 0.75) == 0.8
    assert metrics.share_at_accuracy(confidence, correct, 0.8) == 0.0


def test_rows_of_unknown_truth_are_left_out():
    share, accuracy, _ = metrics.automation_curve([0.9, 0.8, 0.7], [1, np.nan, 0])
    np.testing.assert_array_equal(share, [0.5, 1.0])
    np.testing.assert_array_equal(accuracy, [1.0, 0.5])


def test_wanted_accuracy_is_checked():
    with pytest.raises(ValueError, match=r"accuracy=90 must lie in \[0, 1\]"):
        metrics.share_at_accuracy([0.5], [1], 90)
