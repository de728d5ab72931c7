"""A tiny table on generated data, and ways to run the command line of the lab."""

import pytest
from lab.__main__ import app

from command_lines import complaint_of, json_runner_of, runner_of
from lab import (
    Column,
    CrossValidation,
    Generated,
    Method,
    Model,
    Published,
    Table,
)

SMALL = Generated("make_multilabel", {"n_samples": 60, "n_features": 4, "n_labels": 3})


@pytest.fixture
def table():
    """Two methods we have, one with two decisions, one we wait for, one that only was published."""
    column = Column("small", SMALL)
    return Table(
        "999-1",
        "A tiny table",
        protocol=CrossValidation(n_splits=3),
        columns=(column, Column("secret", note="locked away")),
        methods=(
            Method("BR", Model("br", {"alpha": 1.0}), scale="standard", decoder="hamming"),
            Method("BR for sets", Model("br", {"alpha": 1.0}), scale="standard", decoder="subset"),
            Method("LP", Model("lp", {"alpha": 1.0})),
            Method("Later", Model("no-such-id")),
            Method("Elsewhere"),
        ),
        metrics=("hamming_loss", "subset_accuracy"),
        published={
            ("small", "BR", "hamming_loss"): Published(0.9, 0.1),
            ("small", "LP", "hamming_loss"): Published(0.0, 0.01),
            ("small", "Elsewhere", "hamming_loss"): Published(0.5),
            ("secret", "BR", "subset_accuracy"): Published(None),
        },
        reference="LP",
        notes=("made up",),
    )


@pytest.fixture
def counted():
    """What a run counts, where it is not zero."""

    def counted(**numbers):
        names = ("kept", "computed", "failed", "stopped", "without_data")
        return dict.fromkeys(names, 0) | numbers

    return counted


@pytest.fixture
def drop():
    """Take a finished cell out of a store."""

    def drop(store, cell):
        store.tidy(without={cell.key})

    return drop


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run():
    """Run a command line of the lab; fails on a traceback, returns the result."""
    return runner_of(app)


@pytest.fixture
def run_json(run):
    """Run a command line of the lab with --json and return what it prints, parsed."""
    return json_runner_of(run)


@pytest.fixture
def complaint(run):
    """Run a command line of the lab that must fail; return the one line it prints."""
    return complaint_of(run)
