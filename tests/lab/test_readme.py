"""Figures of README's tables of results against the stored lines of the arena and cells."""

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from lab.published import TABLES

from lab import Store, get_table, summarize

README = Path(__file__).parents[2] / "README.md"
ARENA = Path(__file__).parents[2] / "lab" / "arena" / "results" / "arena.jsonl"
OWN, PRINTED = "ours", "published"
RAW = "BR, raw (not in the thesis)"
# README's row, the figure there, whose it is; table, column, row and measure of the stored cells.
FIGURES = (
    *(
        ("scene", shown, OWN, "cli2019-3.1", "SCENE", row, "subset_accuracy")
        for shown, row in (
            ("75.3", "LabelSetClassifier (not in the thesis)"),
            ("73.3", "CBM+GB"),
            ("71.7", "power set, RBF machine (not printed)"),
            ("70.4", "BR+GB, no empty set (not printed)"),
            ("59.6", "BR+GB"),
        )
    ),
    ("scene", "70.5", PRINTED, "cli2019-3.1", "SCENE", "CBM+GB", "subset_accuracy"),
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
        "23.6",
        OWN,
        "cli2019-4.3",
        "BIBTEX",
        "power set, logistic (not printed)",
        "subset_accuracy",
    ),
    (
        "reranked",
        "24.0",
        OWN,
        "cli2019-4.3",
        "BIBTEX",
        "power set, RBF machine (not printed)",
        "subset_accuracy",
    ),
    ("reranked", "16.8", OWN, "cli2019-4.3", "BIBTEX", "BR", "subset_accuracy"),
    ("reranked", "21.5", PRINTED, "cli2019-4.3", "BIBTEX", "BR-rerank", "subset_accuracy"),
    ("squared error", ".062", OWN, "cli2019-E.1", "BIBTEX", "GB-KL", "brier_score"),
    ("squared error", ".218", OWN, "cli2019-4.1", "BIBTEX", RAW, "brier_score"),
    ("squared error", ".105", OWN, "cli2019-4.1", "BIBTEX", "uncalib", "brier_score"),
    ("squared error", ".067", PRINTED, "cli2019-E.1", "BIBTEX", "GB-KL, monotone", "brier_score"),
    ("squared error", ".070", PRINTED, "cli2019-E.1", "BIBTEX", "GB-KL", "brier_score"),
)
FROM_STUDIES = {  # printed by commands that keep no cells
    "dropped labels": (".336", ".169"),
    "Credit table": ("25.4", "25.9"),
    "cells corrupted": ("33.0", "36.6"),
}
ROWS = {  # of README's first table, by the model of the arena
    "`LabelSetClassifier()`": "ours",
    "power set, extremely randomised trees": "powerset-trees",
    "power set, RBF support vector machine": "powerset-svm",
    "random forest, tuned threshold": "forest",
    "ensemble of 10 chains": "chains",
    "label field on logistic regressions": "field",
    "conditional Bernoulli mixture": "mixture",
    "power set, logistic regression": "powerset-linear",
    "logistic regression per label": "logistic",
    "ML-kNN": "mlknn",
}
SETS = ("flags", "emotions", "scene", "medical", "yeast")


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


@pytest.mark.parametrize(("title", "model"), ROWS.items())
def test_first_table_is_that_of_the_arena(title, model):
    lines = [json.loads(line) for line in ARENA.read_text(encoding="utf-8").splitlines()]
    rows = [line.split(" | ") for line in README.read_text(encoding="utf-8").splitlines()]
    (shown,) = [row[1:] for row in rows if row[0] == f"| {title}"]
    for of_set, words in zip(SETS, shown, strict=True):
        figures = [
            line["figures"]
            for line in lines
            if (line["set"], line["model"], line["seed"]) == (of_set, model, 0)
        ]
        loss = 1.0 - np.mean([one["subset_accuracy"] for one in figures])
        f1 = np.mean([one["f1_samples"] for one in figures])
        for figure, mean in zip(numbers(words), (loss, f1), strict=True):
            assert abs(float(figure) - mean) <= 0.0005 + 1e-5, f"{of_set}, {title}: {mean:.4f}"
