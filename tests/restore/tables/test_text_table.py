"""How the numbers in tables of text are read and written."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelfield.restore.tables.text_table import most_decimals, number_text, read_number

WRITTEN = st.decimals(allow_nan=False, allow_infinity=False, places=None).filter(
    lambda number: abs(number.adjusted()) < 200
)


@pytest.mark.parametrize(
    ("cells", "decimals"),
    [
        (["12", "7"], 0),
        (["12", "11.5"], 1),
        (["15e-3"], 3),
        (["1.5E-2", "?", ""], 3),
        (["1.5e3"], 0),
        ([" 1.25 ", "red", "nan"], 2),
        ([], 0),
    ],
)
def test_the_finest_cell_counts(cells, decimals):
    assert most_decimals(cells) == decimals


@given(st.lists(WRITTEN, min_size=1, max_size=5))
def test_numbers_that_are_written_come_back(numbers):
    cells = [str(number) for number in numbers]
    decimals = most_decimals(cells)
    for number in numbers:
        assert read_number(number_text(float(number), decimals)) == float(number)


@given(st.floats(-1e6, 1e6), st.integers(0, 9))
def test_as_many_decimals_as_asked_for(value, decimals):
    text = number_text(value, decimals)
    assert Decimal(text).as_tuple().exponent == -decimals
    assert abs(float(text) - value) <= 0.500001 * 10**-decimals
    assert text.strip("-0.") or not text.startswith("-")


@pytest.mark.parametrize("cell", ["", "red", "1,5", "1_000", "inf", "-Infinity", "nan", "1e999"])
def test_what_is_no_number(cell):
    assert read_number(cell) is None
