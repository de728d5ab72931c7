"""Labels, columns and files with nasty names on every path of the command line."""

import contextlib
import csv
import io
import re

import numpy as np
import pytest

from labelfield import load
from labelfield._names import join_names, visible
from labelfield.cli import console
from labelfield.cli.output import write_predictions
from nasty_names import NAMES, NASTY

FEATURES = [f"{name}!" for name in NAMES[:12]]
FILE = "my [bold] :car: \x1b[31m\n, =1"
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
each_name = pytest.mark.parametrize("name", NAMES, ids=list(NASTY))


def write_data(path, n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, len(FEATURES))).round(3)
    Y = (X @ rng.normal(size=(len(FEATURES), len(NAMES))) > 0).astype(int)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*FEATURES, *NAMES])
        writer.writerows([*x, *y] for x, y in zip(X.tolist(), Y.tolist()))


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A table whose name, features and labels are all nasty; the words that read it."""
    monkeypatch.chdir(tmp_path)
    write_data(tmp_path / f"{FILE}.csv", 40, seed=0)
    return [f"{FILE}.csv", "--label-columns", join_names(NAMES)]


@pytest.fixture
def model(data, run):
    clean(run("fit", *data, "--model", "br", "--out", f"{FILE}.lf"))
    return f"{FILE}.lf"


def clean(result):
    """Return what was printed, after a look for anything that a terminal would obey."""
    assert not UNSEEN.search(result.stdout + result.stderr)
    return result.stdout + result.stderr


def test_names_reach_the_model_and_the_file(data, run, tmp_path):
    printed = clean(run("fit", *data, "--model", "br", "--out", f"{FILE}.lf"))
    assert f"saved to {visible(FILE)}.lf." in printed
    assert load(tmp_path / f"{FILE}.lf").label_names_.tolist() == NAMES


def read_table(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def read_names(cell):
    """Read a cell of the column `labels` as the guide says."""
    cell = re.sub(r"^'(?='*[=+\-@\t\r\n＝＋－＠])", "", cell)
    lines = csv.reader(io.StringIO(cell, newline=""), delimiter="|")
    return [name for line in lines for name in line]


def assert_no_formula(cell):
    if cell[:1] in tuple("=+-@\t\r\n＝＋－＠"):
        float(cell)


def test_predictions_run_nothing_and_read_back(data, model, run, tmp_path):
    clean(run("predict", model, data[0], "--out", f"{FILE} p.csv"))
    header, *rows = read_table(tmp_path / f"{FILE} p.csv")
    assert header == ["labels", "confidence", "alternatives", *(f"p({name})" for name in NAMES)]
    fitted = load(tmp_path / model)
    X = np.array([row[: len(FEATURES)] for row in read_table(tmp_path / data[0])[1:]], dtype=float)
    for row, labels, proba in zip(rows, fitted.predict(X), fitted.predict_proba(X), strict=True):
        assert read_names(row[0]) == [name for name, on in zip(NAMES, labels) if on]
        assert [float(cell) for cell in row[3:]] == pytest.approx(proba.tolist(), abs=1e-6)
        for cell in row:
            assert_no_formula(cell)


@each_name
def test_a_single_label_in_a_cell(name, tmp_path):
    columns = {"labels": [[name], [], ["first", name]], "confidence": [-0.5, 1.0, 0.0]}
    write_predictions(tmp_path / "p.csv", columns)
    _, one, none, two = read_table(tmp_path / "p.csv")
    assert_no_formula(one[0])
    assert read_names(one[0]) == [name]
    assert read_names(two[0]) == ["first", name]
    assert (one[1], none) == ("-0.5", ["", "1.0"])


def test_parquet_keeps_names_as_they_are(data, model, run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    clean(run("predict", model, data[0], "--out", "p.parquet"))
    table = parquet.read_table(tmp_path / "p.parquet")
    assert table.column_names[3:] == [f"p({name})" for name in NAMES]


def test_evaluate(data, model, run):
    printed = clean(run("evaluate", model, *data))
    assert "subset accuracy" in printed
    assert "my [bold] :car:" in printed


def test_compare_and_its_report(data, run, tmp_path):
    words = ["--models", "br, lp", "--decoders", "own", "--cv", 2, "--report", "r.html"]
    assert "my [bold] :car:" in clean(run("compare", *data, *words))
    assert_inert((tmp_path / "r.html").read_text(encoding="utf-8"))


def test_report(data, model, run, tmp_path):
    assert f"written to {visible(FILE)}.html;" in clean(
        run("report", model, *data, "--out", f"{FILE}.html")
    )
    assert_inert((tmp_path / f"{FILE}.html").read_text(encoding="utf-8"))


def assert_inert(page):
    assert page.count("<script") == 1
    assert "<img src=x" not in page
    assert "<svg onload" not in page
    assert not UNSEEN.search(page.replace("\t", " "))


def test_json_is_ascii(data, model, run):
    printed = run("report", model, *data, "--out", "r.html", "--json").stdout
    assert printed.isascii()
    assert not UNSEEN.search(printed.replace("\x7f", ""))


def test_labels_that_the_model_does_not_know(data, run):
    known = [name for name in NAMES if name not in ("sun, sea", "\x1b[31mred")]
    fitted = ["--label-columns", join_names(known), "--drop", '"sun, sea",\x1b[31mred']
    clean(run("fit", data[0], *fitted, "--out", "m.lf"))
    printed = clean(run("evaluate", "m.lf", *data))
    assert r'unknown to the model: \x1b[31mred,"sun, sea".' in printed


@each_name
def test_errors_name_the_name(name, data, complaint):
    asked = join_names([name + "?"])
    told = complaint("fit", data[0], "--label-columns", asked, "--out", "m.lf")
    assert not UNSEEN.search(told)
    assert "no column is called" in told
    told = complaint("fit", f"./{name[:90].replace('/', '_')}.csv", "--out", "m.lf")
    assert not UNSEEN.search(told)
    assert told.startswith("Error: There is no file")


def test_columns_with_commas_are_left_out_by_quotes(data, run_json):
    left_out = join_names(FEATURES[:2])
    result = run_json("fit", *data, "--drop", left_out, "--out", "m.lf")
    assert result["features"] == len(FEATURES) - 2


@pytest.mark.parametrize("option", ["--label-columns", "--drop"])
def test_an_open_quote_is_named(option, data, complaint):
    labels = [] if option == "--label-columns" else ["--label-columns", "a"]
    told = complaint("fit", data[0], *labels, option, 'a,"b', "--out", "m.lf")
    assert "double quotes" in told


def test_restore_prints_names(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    names = [name for name in NAMES if name.strip() == name]
    rng = np.random.default_rng(0)
    with open("dirty.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for row in rng.normal(size=(30, len(names))).round(2).tolist():
            row[rng.integers(len(row))] = ""
            writer.writerow(row)
    printed = clean(run("restore", "dirty.csv", "--out", "restored.csv"))
    assert "price [/unit]" in printed


@each_name
def test_every_printing_function(name, capsys):
    console.text(f"a {name}")
    console.note(f"b {name}")
    console.complain(ValueError(f"c {name}"))
    console.print_table([name], [[name]], title=name, caption=name)
    with console.busy(name), console.progress(name):
        pass
    printed = capsys.readouterr()
    shown = visible(name)
    assert printed.out.startswith(f"a {shown}\n")
    assert printed.err.startswith(f"b {shown}\n")
    assert printed.err.endswith(f"Error: c {visible(' '.join(name.split()))}\n")
    assert not UNSEEN.search(printed.out + printed.err)
    if len(shown) < 60:
        assert printed.out.count(shown) == 5


@each_name
@pytest.mark.parametrize("show", [console.busy, console.progress])
def test_status_and_progress_on_a_terminal(show, name, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    with contextlib.redirect_stderr(terminal), show(name):
        pass
    # rich itself moves the cursor, hides it and colours bars
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\n]", "", terminal.getvalue())
    assert not UNSEEN.search(shown)
    assert visible(name)[:60].strip() in shown
