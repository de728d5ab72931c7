"""Hostile files: how each is made, the command that reads it, and what must be said.

FILE in a command is the hostile file. A text or bytes is its content; a function makes it. The
other files are those of the folder in `conftest.py`.
"""

import bz2
import gzip
import io
import lzma
import os
import zipfile
from typing import Any, NamedTuple

import numpy as np

__all__ = ["DATA_FILES", "Hostile", "answered", "refused"]


class Hostile(NamedTuple):
    """A file, the command that reads it, and what the command must say (code 0: a right answer)."""

    name: str
    made: Any
    command: str
    must_say: str
    code: int


def refused(command, cases):
    """Files that the command must refuse: (name, how it is made, what must be said)."""
    return [Hostile(name, made, command, must_say, 1) for name, made, must_say in cases]


def answered(command, cases):
    """Odd files that the command must read, and what it must then say."""
    return [Hostile(name, made, command, must_say, 0) for name, made, must_say in cases]


# ---- ways to make files


def fifo(path):
    os.mkfifo(path)


def folder(path):
    path.mkdir()


def link_to(target):
    return lambda path: path.symlink_to(target)


def huge(n_bytes):
    """A file of zeros that takes no room on the disk."""

    def make(path):
        with path.open("wb") as file:
            file.truncate(n_bytes)

    return make


def bomb(compress, unit, times=1_000_000):
    """A few kilobytes that unpack to megabytes (the tests lower the limit accordingly)."""
    return lambda path: path.write_bytes(compress(unit * times))


def zipped(*members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, member in enumerate(members):
            archive.writestr(f"{number}.csv", member)
    return buffer.getvalue()


def parquet(columns, **arrays):
    """A Parquet file of these columns; names may repeat."""

    def make(path):
        import pyarrow
        from pyarrow.parquet import write_table

        made = [arrays.get(name, [1, 0, 1]) for name in columns]
        write_table(pyarrow.table(made, names=list(columns)), path)

    return make


def noted_parquet(path):
    """A Parquet file whose notes for pandas are nonsense."""
    import pyarrow
    from pyarrow.parquet import write_table

    table = pyarrow.table({"sea": [1, 0], "x": [1, 2]})
    notes = b'{"columns": [{"nonsense": 1}], "index_columns": ["x"], "column_indexes": [{}]}'
    write_table(table.replace_schema_metadata({b"pandas": notes}), path)


def repeated_parquet(path):
    """A million rows of one value in a few kilobytes."""
    import pyarrow
    from pyarrow.parquet import write_table

    zeros = np.zeros(1_000_000, dtype=np.int8)
    write_table(pyarrow.table({"sea": zeros, "x": zeros}), path)


# ---- ARFF

HEAD = "@relation r\n@attribute x real\n@attribute c {a,b}\n@attribute y {0,1}\n@data\n"
ARFF = "fit FILE --label-columns y --out n.lf"
SOUND_ROWS = "1,a,0\n2,b,1\n3,a,1\n4,b,0\n"

ARFF_FILES = [
    *refused(
        ARFF,
        [
            ("empty.arff", "", "line 1: the file is empty"),
            ("blank.arff", " \n\t\n\n", "the file is empty"),
            ("utf16.arff", (HEAD + SOUND_ROWS).encode("utf-16-le"), "line 1: a zero byte"),
            ("half16.arff", HEAD.encode("utf-16")[:-1], "begins as UTF-16 but is not"),
            ("latin1.arff", (HEAD + "% \xe9\n").encode("latin-1"), "line 6: byte 0xe9"),
            ("zero.arff", HEAD + "1,a,0\n2,\0,1\n", "line 7: a zero byte"),
            ("binary.arff", bytes(range(256)) * 40, "line 1: a zero byte"),
            ("cut.arff", HEAD[:-7], "the file ends without a line @data"),
            ("rowless.arff", HEAD, "no row follows @data"),
            ("no-attribute.arff", "@relation r\n@data\n1\n", "@data comes before any"),
            ("html.arff", "<html><body>404</body></html>", "line 1: expected @relation"),
            ("twice.arff", HEAD.replace("c {a,b}", "x real"), "'x' was already declared in"),
            ("text.arff", HEAD.replace("real", "string"), "'x' is of type 'string'"),
            ("date.arff", HEAD.replace("real", "date"), "'x' is of type 'date'"),
            ("brace.arff", HEAD.replace("b}", "b"), "line 3: .*list of values is broken"),
            ("short.arff", HEAD + "1,a,0\n2,b\n", "line 7: the row ends before its 3 values"),
            ("long.arff", HEAD + "1,a,0,5\n", "line 6: the row has more than the 3"),
            ("quote.arff", HEAD + "1,'a,0\n", "line 6: a quoted value is not closed"),
            ("hole.arff", HEAD + "1,,0\n", "line 6: a value is empty"),
            ("infinite.arff", HEAD + "1e999,a,0\n", "'1e999' is not a finite number"),
            ("nan.arff", HEAD + "nan,a,0\n", "'nan' is not a finite number"),
            ("undeclared.arff", HEAD + "1,z,0\n", "'z' is not a declared value of 'c'"),
            ("label.arff", HEAD + "1,a,2\n", "'2' is not a declared value of 'y'"),
            ("label-kind.arff", HEAD.replace("{0,1}", "{0,2}"), "'y' must be {0,1}"),
            ("sparse-index.arff", HEAD + "{9 1}\n", "line 6: column number beyond 2"),
            ("sparse-huge.arff", HEAD + "{" + "9" * 400 + " 1}\n", "column number beyond 2"),
            ("sparse-twice.arff", HEAD + "{0 1,0 2}\n", "occurs twice in one sparse row"),
            ("sparse-open.arff", HEAD + "{0 1\n", "line 6: the sparse row is not closed"),
            ("sparse-minus.arff", HEAD + "{-1 1}\n", "expected a column number"),
            ("long-cell.arff", HEAD + "x" * 200_000 + ",a,0\n", r"'x+\.\.\.' is not a finite"),
            ("long-name.arff", f"@attribute {'n' * 200_000}\n@data\n", "has no type"),
            ("cut.arff.gz", gzip.compress((HEAD + SOUND_ROWS).encode())[:-12], "gzip stream"),
            ("bomb.arff.gz", bomb(gzip.compress, b"% a comment\n"), "unpack it"),
            ("pipe.arff", fifo, "a pipe or device, not a regular file"),
            ("folder.arff", folder, "a folder, not a regular file"),
            ("device.arff", link_to("/dev/zero"), "a pipe or device, not a regular file"),
            ("loop.arff", link_to("loop.arff"), "loop.arff"),
            ("nowhere.arff", link_to("gone.arff"), "There is no file"),
        ],
    ),
    *refused(
        "fit FILE --out n.lf",
        [
            (
                "count.arff",
                HEAD.replace(" r\n", " 'r: -C 99'\n") + SOUND_ROWS,
                "99 label columns asked for",
            ),
            ("counts.arff", HEAD.replace(" r\n", " 'r: -C 1 -C 2'\n"), "says -C 2 times"),
            (
                "count-huge.arff",
                HEAD.replace(" r\n", f" 'r: -C {'9' * 5000}'\n"),
                "larger than any file",
            ),
            ("unlabelled.arff", HEAD + SOUND_ROWS, "has no -C option"),
        ],
    ),
    *answered(
        ARFF,
        [
            (
                "windows.arff",
                b"\xef\xbb\xbf" + (HEAD + 5 * SOUND_ROWS).replace("\n", "\r\n").encode(),
                "20 rows, 2 features and 1 labels",
            ),
        ],
    ),
]

# ---- label files

XML = "fit toy.arff --xml FILE --out n.lf"
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    '<labels><label name="&b;"/></labels>'
)
OUTSIDE = '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><labels>&a;</labels>'

XML_FILES = [
    *refused(
        XML,
        [
            ("empty.xml", "", "not a readable XML file"),
            ("laughs.xml", LAUGHS, "a document type or entity is refused"),
            ("outside.xml", OUTSIDE, "a document type or entity is refused"),
            ("nameless.xml", "<labels><label/></labels>", "<label> without a name"),
            ("twice.xml", '<l><label name="sea"/><label name="sea"/></l>', "already listed"),
            ("unknown.xml", '<l><label name="moon"/></l>', "'moon' is not an attribute"),
            ("none.xml", "<labels></labels>", "no <label name"),
            ("deep.xml", "<a>" * 100_000, "not a readable XML file"),
            ("encoding.xml", '<?xml version="1.0" encoding="klingon"?><l/>', "not a readable"),
            ("broken.xml", '<l><label name="sea"', "not a readable XML file"),
            ("huge.xml", huge(2**30), "more than 16777216 bytes"),
            ("pipe.xml", fifo, "a pipe or device, not a regular file"),
            ("device.xml", link_to("/dev/zero"), "a pipe or device, not a regular file"),
        ],
    ),
    *answered(
        XML,
        [
            (
                "sound.xml",
                '<l xmlns="http://x"><label name="sea"/><label name="sun"/></l>',
                "5 features and 2 labels",
            ),
        ],
    ),
]

# ---- tables

CSV = "fit FILE --label-columns sea --out n.lf"
TAGS = "fit FILE --tags sea --out n.lf"
FEW = "x,sea\n1,0\n2,1\n3,1\n4,0\n"

TABLE_FILES = [
    *refused(
        CSV,
        [
            ("empty.csv", "", "the file is empty"),
            ("header.csv", "x,sea\n", "the table has no row"),
            ("utf16.csv", FEW.encode("utf-16-le"), "line 1: a zero byte"),
            ("latin1.csv", b"x,sea\n\xe9,1\n", "line 2: byte 0xe9 is not UTF-8"),
            ("zero.csv", "x,sea\n1\0,1\n", "line 2: a zero byte"),
            ("twice.csv", "sea,x,sea\n1,2,1\n0,3,0\n", "line 1: two columns are called 'sea'"),
            ("nameless.csv", "sea,,\n1,2,3\n", "two columns are called ''"),
            ("short.csv", FEW + "5\n", "line 6: 1 cells where the header has 2"),
            ("long.csv", FEW + "5,1,1\n", "line 6: 3 cells where the header has 2"),
            ("all-long.csv", "x,sea\n1,0,7\n2,1,7\n", "line 2: 3 cells where the header has 2"),
            ("quote.csv", 'x,sea\n1,"0\n2,1\n', "not a readable table|cells where"),
            ("long-cell.csv", FEW + '1,"' + "x" * 200_000 + '"\n', "line 6: .*larger than field"),
            ("long-label.csv", FEW + "1," + "x" * 100_000 + "\n", r"row 5: label 'sea' is 'x+\.\."),
            ("label.csv", FEW + "5,2\n", "row 5: label 'sea' is '2'"),
            ("label-word.csv", FEW + "5,perhaps\n", "row 5: label 'sea' is 'perhaps'"),
            ("label-half.csv", FEW + "5,0.5\n", "row 5: label 'sea' is '0.5'"),
            ("one-text.csv", "x,sea\n=cmd|'/c calc'!A1,1\n", "no column to learn from"),
            ("infinite.csv", FEW + "inf,1\n", "[Ii]nfinity"),
            ("overflow.csv", FEW + "1e999,1\n", "[Ii]nfinity"),
            ("infinite-hole.csv", FEW + "inf,1\n,1\n", "'x' .* row 4 holds 'inf'"),
            ("no-feature.csv", "sea\n1\n0\n", "feature"),
            ("bomb.csv.gz", bomb(gzip.compress, b"1,1\n"), "limit for this gzip file.*unpack it"),
            ("bomb.csv.bz2", bomb(bz2.compress, b"1,1\n"), "limit for this bzip2 file"),
            ("bomb.csv.xz", bomb(lzma.compress, b"1,1\n"), "limit for this xz file"),
            ("bomb.csv.zip", bomb(zipped, b"1,1\n"), "limit for this zip file"),
            ("two.csv.zip", zipped(FEW, FEW), "it has 2 members; one is read"),
            ("none.csv.zip", b"PK\x05\x06" + bytes(18), "a zero byte|zip"),
            ("cut.csv.gz", gzip.compress(FEW.encode())[:-10], "gzip stream breaks off"),
            ("changed.csv.bz2", bz2.compress(FEW.encode())[:-4] + b"????", "bzip2 stream"),
            ("cut.csv.xz", lzma.compress(FEW.encode())[:-20], "xz stream breaks off"),
            ("twofold.csv.gz", gzip.compress(gzip.compress(FEW.encode())), "zero byte|UTF-8|cells"),
            ("huge.csv", huge(2**40), "more than .* bytes of text"),
            ("pipe.csv", fifo, "a pipe or device, not a regular file"),
            ("device.csv", link_to("/dev/zero"), "a pipe or device, not a regular file"),
            ("text.parquet", FEW, "not a readable table"),
            ("empty.parquet", "", "not a readable table"),
            ("cut.parquet", b"PAR1" + bytes(100) + b"PAR1", "not a readable table"),
            ("twice.parquet", parquet(["sea", "x", "sea"]), "two columns are called 'sea'"),
            ("lists.parquet", parquet(["sea", "x"], sea=[[1], [0], [1]]), "row 1: label 'sea' is"),
            (
                "nested.parquet",
                parquet(["sea", "x"], x=[{"a": 1}] * 3),
                "Column 'x' .* holds {'a': 1}",
            ),
            ("noted.parquet", noted_parquet, "not a readable table"),
            ("bomb.parquet", repeated_parquet, "bytes when unpacked, where .* are the limit"),
        ],
    ),
    *answered(
        CSV,
        [
            ("one-class.csv", "x,sea\n1,0\n2,0\n3,0\n", "1 features and 1 labels"),
            ("spaces.csv", "\n\nx,sea\n1,0\n\n   \n2,1\n3,0\n", "Fitted .* on 3 rows"),
            ("old-mac.csv", FEW.replace("\n", "\r"), "Fitted .* on 4 rows"),
            ("misnamed.csv", gzip.compress(FEW.encode()), "Fitted .* on 4 rows"),
            ("bom16.csv", FEW.encode("utf-16"), "Fitted .* on 4 rows"),
            ("text.csv", "x,sea\nred,0\nblue,1\n", "taken for category: x"),
            ("formula.csv", "x,sea\n=cmd|'/c calc'!A1,1\n@b,0\n", "taken for text: x"),
            ("missing.csv", FEW + ",1\n", "taken for number: x"),
            ("semicolons.csv", FEW.replace(",", ";"), "Fitted .* on 4 rows"),
            ("rows.jsonl", '{"x": 1, "sea": 0}\n\n{"sea": true}\n{"x": 2, "sea": 1}', "on 3 rows"),
        ],
    ),
    *refused(
        CSV,
        [
            ("empty.jsonl", " \n", "the file is empty"),
            ("cut.jsonl", '{"x": 1, "sea": 0}\n{"x": 1, "se', "line 2: not a line of JSON"),
            ("deep.jsonl", "[" * 100_000, "line 1: not a line of JSON"),
            ("list.jsonl", "[1, 2]\n", "line 1: a line must hold one JSON object"),
            ("nested.jsonl", '{"x": {"a": 1}, "sea": 0}\n', "line 1: 'x' holds an object"),
            ("twice.jsonl", '{"x": 1, "x": 2, "sea": 0}\n', "line 1: 'x' stands there twice"),
            ("listed.jsonl", '{"x": [1], "sea": 0}\n', r"Column 'x' .* holds \[1\]"),
            ("unlabelled.jsonl", '{"x": 1}\n', "no column is called 'sea'"),
            ("odd-label.jsonl", '{"x": 1, "sea": "wet"}\n', "label 'sea' is 'wet'"),
        ],
    ),
    *refused(
        "fit FILE --label-columns sea -m lp --out n.lf",
        [("null.parquet", parquet(["sea", "x"], sea=[None] * 3), "Y holds NaN")],
    ),
    *refused(
        TAGS,
        [
            ("no-tags.csv", "x,sea\n1,\n2,\n", "label"),
        ],
    ),
    *answered(
        TAGS,
        [
            ("odd-tags.csv", 'x,sea\n1,"NA,007"\n2,007\n3,NA\n', "2 labels"),
        ],
    ),
]

# ---- svmlight

SVM = "fit FILE --out n.lf"

SVM_FILES = [
    *refused(
        SVM,
        [
            ("empty.svm", "", "the file is empty"),
            ("comments.svm", "# nothing\n# at all\n", "sample|row|label"),
            ("query.svm", "1 1:1\n2 qid:3 1:2\n", "line 2: qid: groups rows into queries"),
            ("value.svm", "1 1:1\n2 1:x\n", "line 2: could not convert"),
            ("no-colon.svm", "1 1:1\n2 5\n", "line 2:"),
            ("infinite.svm", "1 1:1\n2 1:inf\n", "line 2: the value of feature 1 is not a finite"),
            ("nan.svm", "1 1:1\n2 1:nan\n", "line 2: the value of feature 1 is not a finite"),
            ("underscore.svm", "1 1:1_0\n", "line 1: '_' is not part of a number"),
            ("unsorted.svm", "1 2:1 1:1\n", "line 1: .*sorted and unique"),
            ("twice.svm", "1 2:1 2:1\n", "line 1: .*sorted and unique"),
            ("minus.svm", "1 -1:1\n", "line 1:"),
            ("far.svm", "1 2000000000:1\n", "feature index 2000000000 is beyond 4194304"),
            ("farther.svm", f"1 {'9' * 30}:1\n", "line 1: .*too large"),
            ("label.svm", "1.5 1:1\n", "label 1.5 is not a whole number"),
            ("label-minus.svm", "-1 1:1\n+1 2:1\n", "label -1 is not a whole number"),
            ("label-nan.svm", "nan 1:1\n", "label nan is not a whole number"),
            ("wide.svm", "1 2000000000 3\n0 0:1\n", "2000000000 features; there may be"),
            ("many.svm", "1 3 2000000000\n0 0:1\n", "2000000000 labels; there may be"),
            ("rows.svm", "2000000000 3 3\n0 0:1\n", "2000000000 rows are announced, 1 follow"),
            ("bomb.svm.gz", bomb(gzip.compress, b"1 1:1\n"), "limit for this gzip file"),
        ],
    ),
    *answered(
        SVM,
        [
            ("zeros.svm", "0 1:0 2:1\n1 1:1 2:0\n" * 9, "18 rows, 2 features and 2 labels"),
        ],
    ),
]

DATA_FILES = [*ARFF_FILES, *XML_FILES, *TABLE_FILES, *SVM_FILES]
