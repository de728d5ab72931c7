"""Figures of README's tables of results against the stored lines of the arena and cells."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from lab.published import TABLES

from stated_figures import Stated, check, numbers

README = Path(__file__).parents[2] / "README.md"
ARENA = Path(__file__).parents[2] / "lab" / "arena" / "results" / "arena.jsonl"
REPOSITORY = "best of the repository (quoted)"
RAW = "BR, raw (not in the thesis)"
FIGURES = (
    *(
        Stated("scene", shown, "cli2019-3.1", "SCENE", row, "subset_accuracy")
        for shown, row in (
            ("75.3", "LabelSetClassifier (not in the thesis)"),
            ("73.3", "CBM+GB"),
            ("71.7", "power set, RBF machine (not printed)"),
            ("70.4", "BR+GB, no empty set (not printed)"),
            ("59.6", "BR+GB"),
        )
    ),
    Stated("scene", "70.5", "cli2019-3.1", "SCENE", "CBM+GB", "subset_accuracy", printed=True),
    *(
        Stated("reranked", shown, "cli2019-4.3", "BIBTEX", row, "subset_accuracy")
        for shown, row in (
            ("23.7", "BR-rerank"),
            ("26.2", "LabelSetClassifier (not in the thesis)"),
            ("20.7", "BR, no empty set (not printed)"),
            ("23.6", "power set, logistic (not printed)"),
            ("24.0", "power set, RBF machine (not printed)"),
            ("16.8", "BR"),
        )
    ),
    Stated(
        "reranked", "21.5", "cli2019-4.3", "BIBTEX", "BR-rerank", "subset_accuracy", printed=True
    ),
    *(
        Stated("named first", shown, "own-named", of_set, row, f"precision_at_{count}", printed)
        for of_set, row, printed, figures in (
            ("bibtex", "LabelSetClassifier", False, ("67.6", "41.8", "30.7")),
            ("bibtex", "2BR", False, ("63.6", "39.2", "28.7")),
            ("bibtex", REPOSITORY, True, ("65.1", "39.6", "28.9")),
            ("delicious", "LabelSetClassifier", False, ("68.9", "63.9", "59.0")),
            ("delicious", REPOSITORY, True, ("69.6", "64.1", "59.3")),
        )
        for shown, count in zip(figures, (1, 3, 5))
    ),
    *(
        Stated("squared error", shown, id, "BIBTEX", row, "brier_score", printed=printed)
        for shown, id, row, printed in (
            (".062", "cli2019-E.1", "GB-KL", False),
            (".218", "cli2019-4.1", RAW, False),
            (".105", "cli2019-4.1", "uncalib", False),
            (".067", "cli2019-E.1", "GB-KL, monotone", True),
            (".070", "cli2019-E.1", "GB-KL", True),
        )
    ),
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
MEASURES = ("subset_accuracy", "f1_samples")
ROUNDED = 0.0005 + 1e-5


def readme_rows():
    text = README.read_text(encoding="utf-8").partition("The last table goes beyond")[2]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [line.rpartition("|")[0].rpartition("|")[0] for line in lines[1:]]  # without commands


@pytest.mark.parametrize("figure", FIGURES, ids=str)
def test_figure_is_that_of_the_cells(figure):
    check(figure, readme_rows())


def test_every_figure_of_the_table_is_accounted_for():
    known = [(figure.place, figure.shown) for figure in FIGURES]
    known += [(place, one) for place, ones in FROM_STUDIES.items() for one in ones]
    for line in readme_rows():
        listed = {figure for place, figure in known if place in line}
        assert listed == set(numbers(line)), line


def test_tables_are_there():
    assert {figure.id for figure in FIGURES} <= set(TABLES)


@cache
def arena():
    """Return the mean of each measure by data set and model, of models that finished all folds."""
    figures = {}
    for text in ARENA.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line["seed"] == 0 and "figures" in line:
            figures.setdefault((line["set"], line["model"]), []).append(line["figures"])
    return {
        (of_set, model): {name: np.mean([fold[name] for fold in folds]) for name in MEASURES}
        for (of_set, model), folds in figures.items()
        if len(folds) == len(figures[of_set, "ours"])
    }


def table_of(heading):
    """Return the cells of each row of README's table with this heading, by the row's title."""
    text = README.read_text(encoding="utf-8").partition(f"\n| {heading} |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines()[2:]]
    return {title: cells for title, *cells in rows}


@pytest.mark.parametrize(("title", "model"), ROWS.items())
def test_first_table_is_that_of_the_arena(title, model):
    shown = table_of("0-1 loss / F1")[title]
    for of_set, words in zip(SETS, shown, strict=True):
        loss, f1 = map(float, numbers(words))
        assert abs(1.0 - loss - arena()[of_set, model]["subset_accuracy"]) <= ROUNDED, of_set
        assert abs(f1 - arena()[of_set, model]["f1_samples"]) <= ROUNDED, of_set


def test_second_table_is_that_of_the_arena():
    rows = table_of("exact match / F1")
    assert {of_set for of_set, _ in arena()} == {*SETS, *(title.rstrip(" *") for title in rows)}
    for title, (ours, *others) in rows.items():
        figures = {model: one for (of_set, model), one in arena().items() if of_set in title}
        first = figures.pop("ours")
        shown = [*map(float, numbers(ours)), *(float(numbers(words)[0]) for words in others)]
        best = [max(one[name] for one in figures.values()) for name in MEASURES]
        np.testing.assert_allclose(shown, [*first.values(), *best], atol=ROUNDED, err_msg=title)
