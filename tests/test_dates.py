"""Dates as people write them."""

import numpy as np
import pytest

from labelfield._dates import ISO, find_notation, parse_moments


@pytest.mark.parametrize(
    ("words", "notation"),
    [
        (["2024-02-29", "2023-01-01"], ISO),
        (["2024-02-29T10:20:30", "2024-02-29 10:20:30+02:00"], ISO),
        (["31.12.2023", "01.02.2024"], "%d.%m.%Y"),
        (["12/31/2023", "01/02/2024"], "%m/%d/%Y"),
        (["31/12/2023", "01/02/2024"], "%d/%m/%Y"),
        (["01/02/2024 10:15", "11/12/2024 23:59"], "%m/%d/%Y %H:%M"),
        (["3 Mar 2024", "29 Feb 2024"], "%d %b %Y"),
        (["2024-02-30", "2023-01-01"], None),
        (["2024-02-30", "x"], None),
        (["20240229", "20230101"], None),
        (["1.5", "2.5"], None),
        (["10:15", "11:20"], None),
        ([], None),
    ],
)
def test_notation_of_a_column(words, notation):
    assert find_notation(words) == notation


def test_notation_of_most_words_only():
    words = ["2024-01-01"] * 19 + ["soon"]
    assert find_notation(words) is None
    assert find_notation(words, 0.95) == ISO


def test_moments_equal_those_of_pandas():
    pd = pytest.importorskip("pandas")
    days = pd.date_range("1969-12-28 22:10:05", periods=200, freq="41h7min")
    for notation in ("%d.%m.%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S", "%d %B %Y %H:%M:%S"):
        words = days.strftime(notation).tolist()
        np.testing.assert_array_equal(parse_moments(words, notation), days.to_numpy())


def test_holes_and_offsets():
    got = parse_moments([None, "soon", "2024-01-01T00:30:00+01:00"], ISO)
    assert np.isnat(got).tolist() == [True, True, False]
    assert got[2] == np.datetime64("2023-12-31T23:30")
