"""ARFF files of MULAN and MEKA: what is read, and what is refused with file and line."""

import bz2
import gzip
import re

import numpy as np
import pytest
from scipy import sparse

from labelfield._exceptions import DataFormatError
from labelfield.datasets import _source, arff, read_arff
from labelfield.datasets._arff import labels as arff_labels

HEADER = """\
@relation 'toy: -C 2'
% two labels, then features
@ATTRIBUTE 'wet \\'n\\' wild' {0,1}
@attribute dry {0, 1}
@attribute "size % of all" NUMERIC
@attribute colour {red,'light blue',green}
@attribute grade {1,2,4} % numbers stay numbers
@data
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="toy.arff"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_dense_rows(write):
    data = read_arff(write(HEADER + "1,0,2.5,'light blue',4\n\n% note\n0,1,?,red,1\n"))
    np.testing.assert_array_equal(data.X, [[2.5, 1, 4], [np.nan, 0, 1]])
    np.testing.assert_array_equal(data.Y, [[1, 0], [0, 1]])
    assert data.Y.dtype == np.uint8
    assert data.label_names == ("wet 'n' wild", "dry")
    assert data.feature_names == ("size % of all", "colour", "grade")
    assert data.categories == {
        "colour": ("red", "light blue", "green"),
        "grade": ("1", "2", "4"),
    }
    assert data.name == "toy"


def test_sparse_rows_leave_out_the_first_declared_value(write):
    data = read_arff(write(HEADER + "{4 2, 0 1}\n{ }\n{3 'light blue',2 -1}\n"))
    assert sparse.isspmatrix_csr(data.X)
    assert data.X.has_sorted_indices
    np.testing.assert_array_equal(data.X.toarray(), [[0, 0, 2], [0, 0, 1], [-1, 1, 1]])
    np.testing.assert_array_equal(data.Y, [[1, 0], [0, 0], [0, 0]])


def test_label_declared_one_first_is_on_where_a_sparse_row_leaves_it_out(write):
    text = "@relation 'x: -C 1'\n@attribute y {1,0}\n@attribute x real\n@data\n{1 5}\n{0 0}\n"
    np.testing.assert_array_equal(read_arff(write(text)).Y, [[1], [0]])


def test_unknown_label_makes_y_float(write):
    dense = read_arff(write(HEADER + "1,?,2.5,red,4\n")).Y
    np.testing.assert_array_equal(dense, [[1, np.nan]])
    in_sparse = read_arff(write(HEADER + "{0 ?,4 2}\n")).Y
    np.testing.assert_array_equal(in_sparse, [[np.nan, 0]])


@pytest.mark.parametrize(("pack", "end"), [(gzip.compress, ".gz"), (bz2.compress, ".bz2")])
def test_compressed_file(write, pack, end):
    text = (HEADER + "1,0,2.5,green,4\n").encode()
    plain, packed = write(text), write(pack(text), "toy.arff" + end)
    np.testing.assert_array_equal(read_arff(packed).X, read_arff(plain).X)


def test_byte_order_mark_and_carriage_returns(write):
    text = "\ufeff" + HEADER.replace("\n", "\r\n") + "1,0,2.5,green,4\r\n"
    np.testing.assert_array_equal(read_arff(write(text)).X, [[2.5, 2, 4]])


XML = '<?xml version="1.0"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n{}\n</labels>'
PLAIN = HEADER.replace(": -C 2", "")


def test_xml_gives_labels_in_its_own_order(write):
    names = '<label name="dry">\n<label name="wet \'n\' wild"/></label>'
    write(XML.format(names), "toy.xml")
    data = read_arff(write(PLAIN + "1,0,2.5,red,4\n"))
    assert data.label_names == ("dry", "wet 'n' wild")
    np.testing.assert_array_equal(data.Y, [[0, 1]])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [(["dry"], ("dry",)), (1, ("wet 'n' wild",)), ([], ())],
)
def test_labels_by_name_or_number(write, labels, expected):
    data = read_arff(write(PLAIN + "1,0,2.5,red,4\n"), labels=labels)
    assert data.label_names == expected
    assert data.X.shape == (1, 5 - len(expected))


def test_negative_count_means_the_last_columns(write):
    text = "@relation 'x: -C -1'\n@attribute x real\n@attribute y {0,1}\n@data\n3,1\n"
    data = read_arff(write(text))
    assert data.label_names == ("y",)
    np.testing.assert_array_equal(data.X, [[3]])


ROW = "1,0,2.5,red,4\n"
BROKEN = {
    "too few values": (HEADER + ROW + "1,0\n", 10, "ends before its 5 values"),
    "cut in the last row": (HEADER + ROW + "1,0,2.", 10, "ends before its 5 values"),
    "too many values": (HEADER + "1,0,2.5,red,4,4\n", 9, "more than the 5"),
    "empty value": (HEADER + "1,0,,red,4\n", 9, "value is empty"),
    "undeclared nominal value": (HEADER + ROW + "1,0,2,blue,4\n", 10, "'blue' is not a declared"),
    "number not as declared": (HEADER + "1,0,2,red,4.0\n", 9, "'4.0' is not a declared"),
    "not a number": (HEADER + "1,0,2x,red,4\n", 9, "'2x' is not a finite number"),
    "infinite number": (HEADER + "1,0,1e999,red,4\n", 9, "not a finite number"),
    "nan": (HEADER + "1,0,NaN,red,4\n", 9, "'NaN' is not a finite number"),
    "value with a blank": (HEADER + "1,0,2 3,red,4\n", 9, "quote values that hold blanks"),
    "open quote": (HEADER + "1,0,2,'light,4\n", 9, "not closed"),
    "index too large": (HEADER + "{5 1}\n", 9, "beyond 4, the last of 5"),
    "giant index": (HEADER + "{99999999999999999999 1}\n", 9, "beyond 4"),
    "repeated index": (HEADER + "{2 1,2 1}\n", 9, "occurs twice"),
    "negative index": (HEADER + "{-1 1}\n", 9, "expected a column number"),
    "index without value": (HEADER + "{2,3 red}\n", 9, "a blank and a value"),
    "open brace": (HEADER + ROW + "{2 1,3 red", 10, "not closed by }"),
    "instance weight": (HEADER + "{2 1}, {0.5}\n", 9, "instance weights are not read"),
    "no row": (HEADER, 8, "no row follows"),
    "no data line": (HEADER.replace("@data\n", ""), 7, "without a line @data"),
    "duplicate attribute": (
        HEADER.replace("colour", "dry") + ROW,
        6,
        "'dry' was already declared in line 4",
    ),
    "string attribute": (HEADER.replace("NUMERIC", "string"), 5, "of type 'string'"),
    "date attribute": (HEADER.replace("NUMERIC", 'date "yyyy"'), 5, "reads numeric, real"),
    "no type": (HEADER.replace(" NUMERIC", ""), 5, "has no type"),
    "open declaration": (HEADER.replace("green}", "green"), 6, "list of values is broken"),
    "value declared twice": (HEADER.replace("green", "red"), 6, "declares 'red' twice"),
    "data on the data line": (HEADER[:-1] + ROW, 8, "text after @data"),
    "text in the header": (HEADER.replace("@data", "hello\n@data"), 8, "found 'hello'"),
    "label not binary": (HEADER.replace("{0, 1}", "{no,yes}") + ROW, 4, "must be {0,1}"),
    "numeric label not binary": (
        HEADER.replace("{0, 1}", "real") + ROW + "0,2,1,red,1\n",
        10,
        "'dry' is neither 0 nor 1",
    ),
    "sparse label not binary": (
        HEADER.replace("{0, 1}", "real") + "{}\n{1 0.5}\n",
        10,
        "'dry' is neither 0 nor 1",
    ),
    "not UTF-8": (HEADER.encode() + ROW.encode() + b"1,0,2,\xff,4\n", 10, "0xff is not UTF-8"),
    "empty file": ("  \n", 1, "empty"),
    "gzip cut short": (gzip.compress((HEADER + ROW * 999).encode())[:90], None, "breaks off"),
    "bzip2 cut short": (bz2.compress((HEADER + ROW).encode())[:60], None, "breaks off"),
    "gzip damaged": (b"\x1f\x8b" + bytes(30), None, "breaks off or is damaged"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_broken_file_is_refused_with_file_and_line(write, fault):
    text, line, message = BROKEN[fault]
    path = write(text, "broken.arff")
    where = rf"broken\.arff, line {line if line is not None else '[0-9]+'}: .*{re.escape(message)}"
    with pytest.raises(DataFormatError, match=where):
        read_arff(path)


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        ("'x: -C 6'", "declares 5 attributes"),
        ("'x: -C 0'", "declares 5 attributes"),
        ("'x: -C -99999999999999999999'", "larger than any file"),
        ("'x: -C 2 -R1_y: -C 2'", "says -C 2 times"),
        ("plain", "no -C option"),
    ],
)
def test_label_count_that_cannot_be_meant(write, relation, message):
    with pytest.raises(DataFormatError, match=message):
        read_arff(write(HEADER.replace("'toy: -C 2'", relation) + ROW))


BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<labels><label name="&b;"/></labels>"""


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        (BOMB, "line 2: a document type or entity is refused"),
        (BOMB.encode("utf-16"), "line 2: a document type or entity is refused"),
        (XML.format('<label name="dry"/>\n<label name="moist"/>'), "line 4: label 'moist' is not"),
        (XML.format('<label name="dry"/><label name="dry"/>'), "already listed in line 3"),
        (XML.format("<label/>"), "line 3: <label> without a name"),
        (XML.format('<label name="dry"'), "not a readable XML file"),
        (XML.format(""), "no <label"),
        (b'<?xml version="1.0" encoding="nonsense"?><labels/>', "not a readable XML file"),
        (b"", "not a readable XML file"),
        (XML.format('<label name="grade"/>'), "line 7: label 'grade' must be {0,1}"),
    ],
)
def test_label_file_is_refused(write, xml, message):
    labels = write(xml, "labels.xml")
    with pytest.raises(DataFormatError, match=message):
        read_arff(write(PLAIN + ROW), labels=labels)


def test_sizes_that_would_fill_memory_are_refused(write, monkeypatch):
    path = write(HEADER + ROW * 50)
    monkeypatch.setattr(arff, "MAX_LABEL_CELLS", 99)
    with pytest.raises(DataFormatError, match="50 rows of 2 labels"):
        read_arff(path)
    monkeypatch.setattr(_source, "MAX_BYTES", 100)
    with pytest.raises(DataFormatError, match="more than 100 bytes"):
        read_arff(path)
    monkeypatch.setattr(arff_labels, "MAX_XML_BYTES", 10)
    with pytest.raises(DataFormatError, match="more than 10 bytes"):
        arff_labels.read_label_xml(write(XML, "big.xml"))


def test_label_name_that_is_no_attribute(write):
    with pytest.raises(DataFormatError, match="no attribute is called 'wett'"):
        read_arff(write(PLAIN + ROW), labels=["wett"])
    with pytest.raises(DataFormatError, match="names an attribute twice"):
        read_arff(write(PLAIN + ROW), labels=["dry", "dry"])
