"""Numbers never round to a claim that is not true."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield.report.formatting import count, decimal, percent, signed


@pytest.mark.parametrize(
    ("share", "digits", "shown"),
    [
        (0, 0, "0 %"),
        (1, 1, "100 %"),
        (0.624, 0, "62 %"),
        (0.6249, 1, "62.5 %"),
        (0.9999, 0, ">99 %"),
        (0.9999, 1, ">99.9 %"),
        (0.001, 0, "<1 %"),
        (0.00001, 1, "<0.1 %"),
        (None, 0, "–"),
    ],
)
def test_percent(share, digits, shown):
    assert percent(share, digits).replace("\u202f", " ") == shown


@settings(deadline=None)
@given(st.floats(0, 1, exclude_min=True, exclude_max=True), st.integers(0, 2))
def test_percent_says_none_and_all_only_where_true(share, digits):
    number = percent(share, digits).split("\u202f")[0]
    assert float(number.lstrip("<>")) not in (0, 100)


def test_other_numbers():
    assert count(1234567) == "1\u202f234\u202f567"
    assert count(None) == decimal(None) == signed(None) == "–"
    assert decimal(0.12349) == "0.123"
    assert (signed(0.5), signed(-0.25)) == ("+0.50", "\u22120.25")
