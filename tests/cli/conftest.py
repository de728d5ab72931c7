"""A folder of small files, and ways to run a command line."""

import functools

import pytest

from command_lines import complaint_of, json_runner_of, runner_of
from labelfield import datasets
from labelfield.cli import app
from labelfield.cli.commands import demo
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
    monkeypatch.setattr("labelfield.datasets.named.loader.load_digit_scenes", few)
    few_models = {id: demo.MODELS[id] for id in ("br", "lp")} | {demo.CHOSEN: {"budget": "quick"}}
    monkeypatch.setattr(demo, "MODELS", few_models)
    return few


@pytest.fixture
def run():
    """Run a command line; fails on a traceback, returns the result."""
    return runner_of(app)


@pytest.fixture
def run_json(run):
    """Run a command line with --json and return what it prints, parsed."""
    return json_runner_of(run)


@pytest.fixture
def complaint(run):
    """Run a command line that must fail; return the one line it prints."""
    return complaint_of(run)
