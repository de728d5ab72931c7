"""A folder of small files, and ways to run a command line."""

import functools
import json

import pytest
from typer.testing import CliRunner

from labelfield import datasets
from labelfield.cli import app, demo
from toy_files import toy, write_all


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder with the toy data in every format."""
    monkeypatch.chdir(tmp_path)
    write_all(tmp_path, "toy", *toy(80, seed=0))
    write_all(tmp_path, "new", *toy(30, seed=1))
    return tmp_path


@pytest.fixture
def few_digits(monkeypatch):
    """Make the embedded data, and the demo on them, small; returns their maker."""
    few = functools.partial(datasets.load_digit_scenes, n_train=300, n_test=100)
    monkeypatch.setattr(datasets, "load_digit_scenes", few)
    monkeypatch.setattr("labelfield.datasets.loader.load_digit_scenes", few)
    monkeypatch.setattr(demo, "MODELS", ("br", "lp"))
    return few


@pytest.fixture
def run():
    """Run a command line; fails on a traceback, returns the result."""

    def call(*words, code=0):
        result = CliRunner().invoke(app, [str(word) for word in words])
        told = f"{result.output}\n{result.exception!r}"
        assert result.exit_code == code, told
        assert "Traceback" not in result.output
        return result

    return call


@pytest.fixture
def run_json(run):
    """Run a command line with --json and return what it prints, parsed."""
    return lambda *words: json.loads(run(*words, "--json").stdout)


@pytest.fixture
def complaint(run):
    """Run a command line that must fail; return the one line it prints."""

    def call(*words, code=1):
        result = run(*words, code=code)
        lines = result.stderr.strip().splitlines()
        assert len(lines) == 1, result.stderr
        assert result.stdout == ""
        return lines[0]

    return call
