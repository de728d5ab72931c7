"""Answers of taggers in all their forms, and what becomes of gaps."""

import numpy as np
import pytest
from scipy.special import expit, logit

from labelfield.calibrate import TaggerColumns, TaggerScores


def test_all_forms_of_answers():
    read = TaggerScores.read([[0.2, 0.9]], labels=["a", "b"])
    np.testing.assert_array_equal(read.scores, [[0.2, 0.9]])
    read = TaggerScores.read([{"b": 0.9}, {"a": 0.2, "b": None}, {}])
    assert read.labels == ("a", "b")
    np.testing.assert_array_equal(read.scores, [[np.nan, 0.9], [0.2, np.nan], [np.nan, np.nan]])
    read = TaggerScores.read([["b"], [], [["a"], ["a", "b", "b"], []]])
    np.testing.assert_allclose(read.scores, [[0.25, 0.75], [0.25, 0.25], [0.625, 0.375]])
    read = TaggerScores.read([{"net": {"a": 0.4}, "llm": [["a"], []]}, {"net": {"a": 0.1}}])
    assert read.taggers == ("net", "llm")
    assert read.names == ("net: a", "llm: a")
    np.testing.assert_allclose(read.scores, [[0.4, 0.5], [0.1, np.nan]])


def test_log_odds_of_one_tagger_are_squashed():
    read = TaggerScores.read([{"net": {"a": 3.0}, "llm": {"a": 0.3}}, {"net": {"a": 0.5}}])
    np.testing.assert_allclose(read.scores, [[expit(3.0), 0.3], [expit(0.5), np.nan]])


def test_labels_and_taggers_of_a_model_are_kept():
    read = TaggerScores.read([{"x": {"a": 0.4, "z": 0.9}}], labels=["b", "a"], taggers=["y", "x"])
    np.testing.assert_array_equal(read.scores, [[np.nan, np.nan, np.nan, 0.4]])


@pytest.mark.parametrize(
    ("answers", "options", "message"),
    [
        ([[0.2, 0.9]], {}, "name no label"),
        ([[0.2]], {"labels": ["a", "b"]}, "answer 1 must hold 2 numbers"),
        ([{"a": "high"}], {}, "score of 'a' must be a number"),
        ([{"a": np.inf}], {}, "infinite score"),
        ([], {}, "name no label"),
    ],
)
def test_bad_answers_are_named(answers, options, message):
    with pytest.raises(ValueError, match=message):
        TaggerScores.read(answers, **options)


def test_gaps_become_the_share_of_the_label():
    X = np.array([[0.9, np.nan, 0.1, 0.2], [np.nan, 0.4, 0.3, np.nan], [0.5] * 4])
    Y = np.array([[1, 0], [1, np.nan], [1, 1]])
    rates = np.array([3.5 / 4, 1.5 / 3])
    first = TaggerColumns(0).fit(X, Y).transform(X)
    np.testing.assert_allclose(first, [[0.9, rates[1]], [rates[0], 0.4], [0.5, 0.5]])
    every = TaggerColumns(log_odds=True).fit(X, Y).transform(X)
    np.testing.assert_allclose(every[1], logit([rates[0], 0.4, 0.3, rates[1]]))
    with pytest.raises(ValueError, match="3 columns for 2 labels"):
        TaggerColumns().fit(X[:, :3], Y)
    with pytest.raises(ValueError, match="must have 4 columns"):
        TaggerColumns().fit(X, Y).transform(X[:, :2])
