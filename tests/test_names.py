"""Names of any kind: visible in a terminal, inert in a spreadsheet, separable in a list."""

import csv
import io
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield._names import csv_cell, join_names, split_names, visible
from nasty_names import NAMES

any_text = st.one_of(st.sampled_from(NAMES), st.text())


@settings(deadline=None)
@given(any_text)
def test_nothing_unseen_is_left(text):
    shown = visible(text)
    assert not {"Cc", "Cs", "Zl", "Zp"} & {unicodedata.category(letter) for letter in shown}
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not turning & {unicodedata.bidirectional(letter) for letter in shown}
    assert shown.encode().decode() == shown
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("two\nlines\t.", r"two\nlines\t."),
        ("\x9b", r"\x9b"),
        ("abc\u202etxt", r"abc\u202etxt"),
        ("\udcff", r"\udcff"),
        ("1\u202f234 naïve 日本 👩\u200d👩", "1\u202f234 naïve 日本 👩\u200d👩"),
        ("price [/unit] :car:", "price [/unit] :car:"),
    ],
)
def test_what_is_written_out(name, shown):
    assert visible(name) == shown


def test_what_is_kept():
    assert visible("a\n\tb\x1b", keep="\n\t") == "a\n\tb\\x1b"


def undone(cell):
    """Drop the apostrophe, as the docstring of csv_cell says."""
    return cell[1:] if re.match(r"'+[=+\-@\t\r\n＝＋－＠]", cell) else cell


@settings(deadline=None)
@given(any_text)
def test_cells_run_nothing_and_read_back(text):
    cell = csv_cell(text)
    assert undone(cell) == text
    line = io.StringIO(newline="")
    csv.writer(line).writerow([cell, "next"])
    [[read, _]] = csv.reader(io.StringIO(line.getvalue(), newline=""))
    assert read == cell
    if cell[:1] in tuple("=+-@\t\r\n＝＋－＠"):
        float(cell)


@pytest.mark.parametrize("text", ["-5", "+3.25", "-1e-5", "-.5", "7"])
def test_numbers_stay_numbers(text):
    assert csv_cell(text) == text
    assert csv_cell(float(text)) == float(text)


@pytest.mark.parametrize("text", ["-inf", "-1_000", "-5-3", "+", "--5", "-5 ", "+1e"])
def test_what_only_looks_like_a_number_is_text(text):
    assert csv_cell(text) == f"'{text}"


@settings(deadline=None)
@given(st.lists(any_text.filter(bool)))
def test_joined_names_come_apart_again(names):
    assert split_names(join_names(names)) == names


def test_names_joined_by_hand():
    assert split_names("a,b") == split_names(" a, b") == split_names("a,,b,") == ["a", "b"]
    assert split_names('a,"b, c"') == split_names('a, "b, c"') == ["a", "b, c"]
    assert split_names('5" pipe') == ['5" pipe']
    assert split_names("") == split_names(",") == []


@pytest.mark.parametrize("joined", ['a,"b', '"a"b', '"a" ,b'])
def test_names_that_cannot_be_separated(joined):
    with pytest.raises(ValueError, match="double quotes"):
        split_names(joined)
