"""read_arff against a textbook reader: round trips of written files, and files with damage."""

import math
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from labelfield._exceptions import DataFormatError
from labelfield.datasets import read_arff

NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
BLANKS = " \t"


class RefusedError(Exception):
    """The textbook reader found a fault."""


def expect(holds):
    if not holds:
        raise RefusedError


def take_token(line, at, stops):
    """(text, quoted, position after) of the token at `at`, one character at a time."""
    if line[at : at + 1] in ("'", '"') and at < len(line):
        quote, text = line[at], ""
        at += 1
        while True:
            expect(at < len(line))
            if line[at] == quote:
                return text, True, at + 1
            if line[at] == "\\":
                at += 1
                expect(at < len(line))
                text += {"n": "\n", "t": "\t", "r": "\r"}.get(line[at], line[at])
            else:
                text += line[at]
            at += 1
    text = ""
    while at < len(line) and line[at] not in stops:
        text += line[at]
        at += 1
    return text, False, at


def skip(line, at):
    while at < len(line) and line[at] in BLANKS:
        at += 1
    return at


def nothing_more(line, at):
    at = skip(line, at)
    expect(at == len(line) or line[at] == "%")


def textbook_attribute(line, at):
    expect(at < len(line) and line[at] not in "{},%")
    name, quoted, at = take_token(line, at, BLANKS)
    expect(at < len(line) and line[at] in BLANKS)
    at = skip(line, at)
    expect(at < len(line))
    if line[at] != "{":
        kind, _, at = take_token(line, at, "%")
        expect(kind.strip(BLANKS).lower() in ("numeric", "real", "integer"))
        return name, None
    values = []
    while line[at] != "}":
        at = skip(line, at + 1)
        value, quoted, at = take_token(line, at, BLANKS + ",{}'\"%")
        expect((quoted or value) and value not in values)
        values.append(value)
        at = skip(line, at)
        expect(at < len(line) and line[at] in ",}")
    nothing_more(line, at + 1)
    numbers = [float(v) for v in values if NUMBER.fullmatch(v)]
    if len(set(numbers)) != len(values) or not all(map(math.isfinite, numbers)):
        numbers = [float(i) for i in range(len(values))]
    return name, dict(zip(values, numbers))


def textbook_value(text, quoted, nominal):
    if text == "?" and not quoted:
        return math.nan
    if nominal is not None:
        expect(text in nominal)
        return nominal[text]
    expect(NUMBER.fullmatch(text) and math.isfinite(float(text)))
    return float(text)


def textbook_row(line, kinds):
    sparse_row = line[0] == "{"
    row = [next(iter(k.values())) if k and sparse_row else 0.0 for k in kinds]
    at, j, seen = (1 if sparse_row else 0), -1, set()
    if sparse_row and line[skip(line, 1) : skip(line, 1) + 1] == "}":
        nothing_more(line, skip(line, 1) + 1)
        return row
    while True:
        at = skip(line, at)
        if sparse_row:
            index, _, after = take_token(line, at, BLANKS + ",}")
            expect(re.fullmatch("[0-9]+", index) and after < len(line) and line[after] in BLANKS)
            j, at = int(index), skip(line, after)
        else:
            j += 1
        expect(j < len(kinds) and j not in seen)
        seen.add(j)
        text, quoted, after = take_token(line, at, BLANKS + (",}" if sparse_row else ","))
        expect(after > at and (quoted or "%" not in text))
        row[j] = textbook_value(text, quoted, kinds[j])
        at = skip(line, after)
        if at == len(line) or line[at] != ",":
            break
        at += 1
    if sparse_row:
        expect(at < len(line) and line[at] == "}")
        at += 1
    else:
        expect(len(seen) == len(kinds))
    nothing_more(line, at)
    return row


def textbook_arff(raw):
    """(rows, names) of an ARFF file whose first column is the only label, or RefusedError."""
    if raw[:2] == b"\x1f\x8b" or raw[:3] == b"BZh":
        raise RefusedError
    try:
        text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError from None
    names, kinds, rows, in_data = [], [], [], False
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        line = line.strip(BLANKS)
        if not line or line[0] == "%":
            continue
        if in_data:
            rows.append(textbook_row(line, kinds))
            continue
        word = re.match("@[A-Za-z]*", line)
        expect(word)
        at = skip(line, word.end())
        after_keyword = line[word.end() : word.end() + 1]
        if word.group().lower() == "@relation":
            expect(at < len(line) and after_keyword in " \t'\"")
            if line[at] in "'\"":
                expect(take_token(line, at, "")[2] == len(line))
        elif word.group().lower() == "@attribute":
            expect(after_keyword and after_keyword in " \t'\"")
            name, nominal = textbook_attribute(line, at)
            expect(name not in names)
            names.append(name)
            kinds.append(nominal)
        else:
            expect(word.group().lower() == "@data")
            nothing_more(line, at)
            in_data = True
            expect(names and (kinds[0] is None or set(kinds[0]) == {"0", "1"}))
    expect(rows)
    expect(all(row[0] in (0, 1) or math.isnan(row[0]) for row in rows))
    return np.array(rows), names


def outcome(raw, path):
    """What read_arff makes of the bytes, in the textbook reader's terms; or its message."""
    path.write_bytes(raw)
    try:
        data = read_arff(path, labels=1)
    except DataFormatError as error:
        return str(error)
    X = data.X.toarray() if sparse.issparse(data.X) else data.X
    return np.hstack([data.Y, X]), [*data.label_names, *data.feature_names]


def compare(raw, path):
    try:
        expected = textbook_arff(raw)
    except RefusedError:
        expected = None
    got = outcome(raw, path)
    if expected is None:
        assert isinstance(got, str), got
        assert re.search(r"fuzz\.arff(, line \d+)?: ", got)
    else:
        np.testing.assert_array_equal(got[0], expected[0])
        assert got[1] == expected[1]
    return got


words = st.text("ab '\"\\%,{}?é0", max_size=5)
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**19), 10**19).map(str),
    st.decimals(-1000, 1000, places=4, allow_nan=False).map(str),
    st.sampled_from(["0", "1", "+.5", "-7.", "1e5", "2E-3", "1e-320", "12345678901234567.5"]),
)


def quoted(text):
    mark = '"' if "'" in text else "'"
    return mark + text.replace("\\", "\\\\").replace(mark, "\\" + mark) + mark


@st.composite
def tables(draw):
    """(bytes of a sound file, values by row, names), with as much variety as ARFF allows."""
    m = draw(st.integers(1, 4))
    names = draw(st.lists(words, min_size=m, max_size=m, unique=True))
    kinds = [["0", "1"]]
    for _ in range(m - 1):
        nominal = st.lists(words, min_size=1, max_size=20, unique=True)
        kinds.append(draw(st.none() | st.just(["1", "2.5"]) | nominal))
    lines = ["% made for a test", draw(st.sampled_from(["@relation x", "@RELATION 'a b'"])), ""]
    for name, kind in zip(names, kinds):
        declared = "ReaL" if kind is None else "{" + ", ".join(map(quoted, kind)) + "}"
        lines.append(f"@Attribute {quoted(name)}\t{declared}")
    lines.append("@DATA % from here on")
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        cells, row = [], []
        for kind in kinds:
            if kind is None:
                text = draw(numbers)
                value = float(text)
            else:
                k = draw(st.integers(0, len(kind) - 1))
                text, value = quoted(kind[k]), k
                if all(map(NUMBER.fullmatch, kind)) and len({*map(float, kind)}) == len(kind):
                    value = float(kind[k])
                if re.fullmatch(r"[^ '\"%,{}?]+", kind[k]) and draw(st.booleans()):
                    text = kind[k]
            if draw(st.integers(0, 9)) == 0:
                text, value = "?", math.nan
            cells.append(text)
            row.append(value)
        blank = draw(st.sampled_from(["", " ", "\t"]))
        if draw(st.booleans()):
            order = draw(st.permutations(range(m)))
            default = [0.0 if k is None else 0 for k in kinds]
            left_out = [j for j in order if row[j] == default[j] and kinds[j] in (None, ["0", "1"])]
            entries = [f"{j} {blank}{cells[j]}" for j in order if j not in left_out]
            lines.append("{" + f",{blank}".join(entries) + "}")
        else:
            lines.append(blank + f"{blank},".join(cells) + draw(st.sampled_from(["", " % c"])))
        rows.append(row)
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(lines).encode(), np.array(rows, dtype=float), names


quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@quick
@given(tables())
def test_round_trip(tmp_path, table):
    raw, rows, names = table
    got = compare(raw, tmp_path / "fuzz.arff")
    np.testing.assert_array_equal(got[0], rows)
    assert got[1] == names


SPECIAL = b",{}'\"%?\n\r \t@01e.-+\\\x00\xff\xc3\xa9"


@quick
@given(tables(), st.data())
def test_damaged_file_is_read_like_the_textbook_or_refused(tmp_path, table, data):
    raw = bytearray(table[0])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        piece = bytes(data.draw(st.lists(st.sampled_from(SPECIAL), max_size=2)))
        raw[at : at + data.draw(st.integers(0, 3))] = piece
    compare(bytes(raw), tmp_path / "fuzz.arff")


SOUND = b"@relation r\n@attribute y {0,1}\n@attribute x real\n@data\n"


@pytest.mark.parametrize(
    "line",
    [
        "@relation, x",
        "@relation",
        "@relation'a b'",
        "@relation 'a' b",
        "@relation %",
        "@attribute;y real",
        "@attribute'y'real",
        "@attribute'y' real",
        "@attribute 'y' real % c",
        "@attribute % real",
        "@attribute a% {1 , '2' } %",
        "@attribute a {1 2}",
        "@attribute a {}",
        "@attribute a {1}}",
        "@attribute a {1,}",
        "@attribute a realm",
        "@attribute a real numeric",
        "@attributes a real",
        "@data%",
        "@data x",
        "@ data",
    ],
)
def test_header_line_is_read_like_the_textbook_or_refused(tmp_path, line):
    header = SOUND.replace(b"@data", line.encode() + b"\n@data")
    for rows in (b"1,1\n", b"1,1,1\n"):
        compare(header + rows, tmp_path / "fuzz.arff")


@quick
@given(st.lists(st.sampled_from(SPECIAL + b"{}{},,23"), max_size=25).map(bytes))
@example(b"{0 1,1 1e999}")
@example(b"1,'2' % c\n{1 3}%")
@example(b"1,'\\")
@example(b"1,1%")
@example(b"{")
@example(b"{1 2,}")
@example(b"1,100000000000000000000000000e-26")
@example(b"1,1e00000000000000000000000000000001")
@example(b"1,1e18446744073709551617")
def test_any_data_section(tmp_path, rows):
    compare(SOUND + rows, tmp_path / "fuzz.arff")


@pytest.mark.parametrize("cut", range(0, 63, 3))
def test_every_cut_of_a_sound_file(tmp_path, cut):
    raw = SOUND + b"1,0.25\n{0 1,1 3}\n"
    compare(raw[: len(raw) - cut], tmp_path / "fuzz.arff")
