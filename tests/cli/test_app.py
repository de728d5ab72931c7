"""What all commands share: help, errors, exit codes, start-up."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import labelfield
from labelfield.cli import app, console

SOURCES = {**os.environ, "PYTHONPATH": str(Path(labelfield.__file__).parents[1])}
COMMANDS = ["demo", "fit", "predict", "evaluate", "compare", "datasets", "report", "warm-up"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_with_an_example(command, run):
    printed = run(command, "--help").stdout
    assert f"labelfield {command}" in printed
    assert "--json" in printed


def test_help_lists_the_commands(run):
    printed = run("--help").stdout
    for command in COMMANDS:
        assert command in printed


def test_version(run):
    assert run("--version").stdout.strip() == f"labelfield {labelfield.__version__}"


def test_wrong_usage_is_two(run):
    run("fit", code=2)
    run("fly", code=2)
    run("fit", "toy.arff", "--out", "m.lf", "--alpha", "much", code=2)


def test_interruption_is_130(folder, complaint, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("labelfield.BinaryRelevance.fit", interrupted)
    assert "Interrupted" in complaint("fit", "toy.arff", "--model", "br", "--out", "m.lf", code=130)
    assert not (folder / "m.lf").exists()


def test_debug_shows_the_error(folder):
    result = CliRunner().invoke(app, ["--debug", "fit", "nowhere.arff", "--out", "m.lf"])
    assert result.exit_code == 1
    assert isinstance(result.exception, (OSError, ValueError))


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ZeroDivisionError("by zero"), "Unexpected ZeroDivisionError: by zero; run with --debug"),
        (KeyError("colour"), "Unexpected KeyError: 'colour'; run with --debug and report it"),
        (AssertionError(), "Unexpected AssertionError: ; run with --debug"),
        (MemoryError(), "Not enough memory: the data are too large; use smaller data"),
        (RecursionError("maximum depth"), "nested too deeply: maximum depth"),
        (ValueError("x" * 300_000 + " way out"), "xxx ... xxx"),
        (ValueError(), "Error: ValueError"),
        (RuntimeError("two\nlines"), "Unexpected RuntimeError: two lines;"),
    ],
)
def test_errors_are_one_line_and_debug_shows_them(error, told, folder, complaint, monkeypatch):
    def broken(*arguments, **options):
        raise error

    monkeypatch.setattr("labelfield.BinaryRelevance.fit", broken)
    line = complaint("fit", "toy.arff", "--model", "br", "--out", "m.lf")
    assert told in line
    assert len(line) < 1200
    fit = ["--debug", "fit", "toy.arff", "--model", "br", "--out", "m.lf"]
    assert CliRunner().invoke(app, fit).exception is error


def test_error_of_many_lines_becomes_one(capsys):
    console.complain(ValueError("first\n  second [bold]line"))
    assert capsys.readouterr().err == "Error: first second [bold]line\n"


def test_json_has_no_nan(capsys):
    console.print_json({"a": np.float64("nan"), 1: (np.int64(2), [float("inf")])})
    assert json.loads(capsys.readouterr().out) == {"a": None, "1": [2, [None]]}


def test_start_up_is_light():
    code = (
        "import sys, time\n"
        "from labelfield.cli import main\n"
        "sys.argv = ['labelfield', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'lightgbm', 'sklearn', 'scipy', 'numpy', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "assert time.process_time() < 1.0\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=SOURCES, stdout=subprocess.DEVNULL)


def test_in_a_process_of_its_own(folder):
    def call(*words):
        command = [sys.executable, "-m", "labelfield.cli", *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=SOURCES)

    done = call("fit", "toy.arff", "--model", "br", "--set", "alpha=1.0", "--out", "m.lf")
    assert done.returncode == 0, done.stderr
    failed = call("fit", "gone.arff", "--out", "m.lf", "--force")
    assert failed.returncode == 1
    assert failed.stdout == ""
    assert len(failed.stderr.splitlines()) == 1
