"""Figures of README's second table of results against the stored cells."""

import re
from functools import cache
from pathlib import Path

import pytest
from lab.published import TABLES

from lab import Store, get_table, summarize

README = Path(__file__).parents[2] / "README.md"
OWN, PRINTED = "ours", "published"
RAW = "BR, raw (not in the thesis)"
# README's row, the figure there, whose it is; table, column, row and measure of the stored cells.
FIGURES = (
    ("boosted mixture", "73.3", OWN, "cli2019-3.1", "SCENE", "CBM+GB", "subset_accuracy"),
    ("boosted mixture", "60.0", OWN, "cli2019-3.1", "SCENE", "BR+GB", "subset_accuracy"),
    ("boosted mixture", "70.5", PRINTED, "cli2019-3.1", "SCENE", "CBM+GB", "subset_accuracy"),
    ("reranked", "23.1", OWN, "cli2019-4.3", "BIBTEX", "BR-rerank", "subset_accuracy"),
    (
        "reranked",
        "20.7",
        OWN,
        "cli2019-4.3",
        "BIBTEX",
        "BR, no empty set (not printed)",
        "subset_accuracy",
    ),
    (
        "reranked",
        "24.2",
        OWN,
        "cli2019-4.3",
        "BIBTEX",
        "power set, logistic (not printed)",
        "subset_accuracy",
    ),
    ("reranked", "16.8", OWN, "cli2019-4.3", "BIBTEX", "BR", "subset_accuracy"),
    ("reranked", "21.5", PRINTED, "cli2019-4.3", "BIBTEX", "BR-rerank", "subset_accuracy"),
    ("squared error", ".058", OWN, "cli2019-E.1", "BIBTEX", "GB-KL", "brier_score"),
    ("squared error", ".170", OWN, "cli2019-4.1", "BIBTEX", RAW, "brier_score"),
    ("squared error", ".067", PRINTED, "cli2019-E.1", "BIBTEX", "GB-KL, monotone", "brier_score"),
    ("squared error", ".070", PRINTED, "cli2019-E.1", "BIBTEX", "GB-KL", "brier_score"),
)
FROM_STUDIES = {  # printed by commands that keep no cells
    "dropped labels": (".336", ".169"),
    "Credit table": ("25.4", "25.9"),
    "cells corrupted": ("33.0", "36.6"),
}


@cache
def summary(id):
    return summarize(get_table(id), Store())


def readme_rows():
    text = README.read_text(encoding="utf-8").partition("The second table goes beyond")[2]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [line.rpartition("|")[0].rpartition("|")[0] for line in lines[1:]]  # without commands


def numbers(text):
    return re.findall(r"\d*\.\d+", text)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda one: f"{one[0]} {one[1]}")
def test_figure_is_that_of_the_cells(figure):
    place, shown, whose, id, column, row, metric = figure
    (line,) = [line for line in readme_rows() if place in line]
    assert shown in numbers(line)
    (found,) = [one for one in summary(id)["columns"] if one["title"] == column]
    (found,) = [one for one in found["rows"] if one["title"] == row]
    given = found["figures"][metric][whose]
    done, total = found["cells"]
    if given is None or (whose == OWN and done < total):
        pytest.skip(f"{done} of {total} cells of {id}, {column}, {row} are stored")
    digits = len(shown.partition(".")[2])
    assert f"{given['mean']:.{digits}f}".removeprefix("0") == shown


def test_every_figure_of_the_table_is_accounted_for():
    known = [*FIGURES, *((place, one) for place, ones in FROM_STUDIES.items() for one in ones)]
    for line in readme_rows():
        listed = {figure for place, figure, *_ in known if place in line}
        assert listed == set(numbers(line)), line


def test_tables_are_there():
    assert {figure[3] for figure in FIGURES} <= set(TABLES)
