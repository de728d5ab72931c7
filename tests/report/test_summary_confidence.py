"""Confidence: intervals against scipy, shares against trying every threshold, honest sentences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from labelfield.report.summary import summarize_automation, summarize_reliability

CASES = st.lists(
    st.tuples(st.integers(0, 10).map(lambda tenth: tenth / 10), st.integers(0, 1)),
    min_size=1,
    max_size=40,
)


def plain(text):
    return text.replace("\u202f", " ")


@settings(max_examples=50, deadline=None)
@given(CASES, st.sampled_from([0.5, 0.9, 0.95, 1.0]))
def test_the_accepted_share_is_the_best_of_all_thresholds(cases, target):
    confidence, correct = map(np.array, zip(*cases))
    automation = summarize_automation(confidence, correct, target=target)
    reached = [
        (confidence >= cut).mean()
        for cut in confidence
        if correct[confidence >= cut].mean() >= target
    ]
    chosen = automation["chosen"]
    assert (chosen["share"] if chosen else 0.0) == pytest.approx(max(reached, default=0.0))
    if chosen:
        accepted = confidence >= chosen["threshold"]
        assert chosen["accepted"] == accepted.sum()
        assert chosen["right"] == correct[accepted].sum()
        interval = binomtest(chosen["right"], chosen["accepted"]).proportion_ci(0.95, "exact")
        assert (chosen["from"], chosen["to"]) == pytest.approx((interval.low, interval.high))


@settings(max_examples=50, deadline=None)
@given(CASES)
def test_bins_agree_with_counting(cases):
    confidence, correct = map(np.array, zip(*cases))
    reliability = summarize_reliability(confidence, correct, n_bins=4)
    for bin_ in reliability["bins"]:
        last = bin_["high"] == 1.0
        inside = (confidence >= bin_["low"]) & ((confidence < bin_["high"]) | last)
        assert bin_["count"] == inside.sum()
        if not inside.any():
            assert bin_["accuracy"] is bin_["confidence"] is bin_["from"] is bin_["to"] is None
            continue
        assert bin_["accuracy"] == pytest.approx(correct[inside].mean())
        hits = int(correct[inside].sum())
        interval = binomtest(hits, int(inside.sum())).proportion_ci(0.95, "exact")
        assert (bin_["from"], bin_["to"]) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_the_sentence_a_manager_understands():
    automation = summarize_automation([0.9] * 620 + [0.1] * 380, [1] * 600 + [0] * 400)
    assert plain(automation["sentence"]) == "62 % of cases can be accepted at 95 % accuracy."
    assert plain(automation["detail"]).startswith(
        "Accept a set when its confidence is at least 0.900: of 620 accepted sets 600 were right "
        "(96.8 %; 95 % interval 95.1 % to 98.0 %)."
    )
    assert "fall somewhat short" not in automation["detail"]


def test_the_sentence_warns_where_chance_could_have_done_it():
    automation = summarize_automation([0.9] * 100 + [0.1] * 100, [1] * 96 + [0] * 104)
    assert plain(automation["detail"]).endswith(
        "On new cases the accuracy may fall somewhat short of 95 %."
    )


def test_the_sentence_is_honest_when_none_can_be_accepted():
    automation = summarize_automation([0.9] * 50 + [0.1] * 50, [1, 0] * 50)
    assert automation["chosen"] is None
    assert plain(automation["sentence"]) == (
        "No case can be accepted without review at 95 % accuracy. All cases can at 50 %."
    )
    assert "50 %" in plain(automation["detail"])


def test_the_headline_says_which_accuracy_can_be_reached():
    correct = [1] * 45 + [0] * 5 + [1, 0] * 25
    automation = summarize_automation(np.linspace(1, 0, 100), np.sort(correct)[::-1], target=1.0)
    assert automation["chosen"]["accepted"] == 70
    order = [0] + [1] * 49 + [1, 0] * 25  # the surest set of all is wrong
    automation = summarize_automation(np.linspace(1, 0, 100), order, target=0.99)
    assert plain(automation["sentence"]) == (
        "No case can be accepted without review at 99 % accuracy. 51 % of cases can at 98 %."
    )


def test_a_handful_of_cases_is_not_sold_as_a_share():
    automation = summarize_automation([0.9] * 4 + [0.1] * 96, [1] * 4 + [0] * 96)
    assert plain(automation["sentence"]) == (
        "Only 4 of 100 cases could be accepted at 95 % accuracy: too few to rely on."
    )


def test_all_cases():
    automation = summarize_automation([0.9] * 40, [1] * 40)
    assert plain(automation["sentence"]) == "All cases can be accepted at 95 % accuracy."


def test_targets_rise_and_shares_fall():
    rng = np.random.default_rng(0)
    confidence = rng.random(500)
    automation = summarize_automation(confidence, rng.random(500) < confidence, target=0.7)
    targets = [row["target"] for row in automation["table"]]
    shares = [row["chosen"]["share"] if row["chosen"] else 0.0 for row in automation["table"]]
    assert targets == [0.7, 0.8, 0.9, 0.95, 0.98, 0.99]
    assert shares == sorted(shares, reverse=True)
    assert len(automation["curve"]) == 200
    assert automation["curve"][-1]["share"] == 1.0


@pytest.mark.parametrize(
    ("confidence", "correct", "start"),
    [
        ([0.9] * 100, [1, 0] * 50, "The confidence is too high"),
        ([0.1] * 100, [1, 0] * 50, "The confidence is too low"),
        ([0.5] * 100, [1, 0] * 50, "The confidence matches the accuracy"),
        ([0.6, 0.6], [1, 0], "The confidence matches the accuracy"),
    ],
)
def test_reliability_in_words(confidence, correct, start):
    assert summarize_reliability(confidence, correct)["sentence"].startswith(start)


def test_unknown_truth_is_left_out():
    with_unknown = summarize_automation([0.9, 0.8, 0.7], [1, np.nan, 0])
    assert with_unknown == summarize_automation([0.9, 0.7], [1, 0])


def test_errors():
    with pytest.raises(ValueError, match="target=0"):
        summarize_automation([0.5], [1], target=0)
    with pytest.raises(ValueError, match=r"confidence has shape \(2,\)"):
        summarize_reliability([0.5, 0.5], [1])
