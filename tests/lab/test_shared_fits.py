"""Fits that cells have in common: the figures are those of a cell computed alone."""

import pytest
from lab.cells import by_cut
from lab.runner import compute
from lab.shared_fits import FITS, SharedFits, shared

from lab import Cell, Generated, Model, RandomSplit
from labelfield import BinaryRelevance, ConditionalBernoulliMixture
from labelfield.datasets import make_multilabel

DATA = Generated("make_multilabel", {"n_samples": 90, "n_features": 4, "n_labels": 3})
BR = Model("br", {"alpha": 1.0})
COSTS = ("fit_seconds", "predict_seconds")


@pytest.fixture(autouse=True)
def nothing_shared_before():
    FITS.clear()


def figures_of(cell):
    return {name: part for name, part in compute(cell).items() if name not in COSTS}


def calibrated(calibrator, repetition=0, task="confidence", id="calibrated"):
    parameters = {"estimator": BR, "calibrator": calibrator}
    return Cell(task, DATA, RandomSplit(0.3), repetition, Model(id, parameters))


def test_cells_of_one_cut_follow_each_other():
    cells = [calibrated(name, cut) for name in ("tree", "isotonic") for cut in (0, 1)]
    ordered = by_cut([*cells, cells[1]])
    assert [(cell.repetition, cell.model.parameters["calibrator"]) for cell in ordered] == [
        (0, "tree"),
        (0, "isotonic"),
        (1, "tree"),
        (1, "isotonic"),
    ]


def test_the_oldest_fit_is_forgotten():
    fits, made = SharedFits(kept=2), []

    def fetch(key):
        return fits.fetch(key, lambda: made.append(key) or key)[0]

    assert [fetch(key) for key in "abacab"] == list("abacab")
    assert made == ["a", "b", "c", "b"]


def test_calibrators_of_one_classifier_share_its_fits(monkeypatch):
    fits = []
    fit = BinaryRelevance.fit

    def counted(self, X, Y):
        fits.append(len(Y))
        return fit(self, X, Y)

    monkeypatch.setattr(BinaryRelevance, "fit", counted)
    cells = [
        calibrated("isotonic"),
        calibrated("tree"),
        calibrated("isotonic", task="classify", id="rerank"),
        calibrated("isotonic", repetition=1),
    ]
    together = [figures_of(cell) for cell in cells]
    n_together = len(fits)
    alone = []
    for cell in cells:
        FITS.clear()
        alone.append(figures_of(cell))
    assert together == alone
    assert n_together < len(fits) - n_together


def test_a_shared_fit_counts_in_the_seconds_of_every_cell():
    first = compute(calibrated("isotonic"))["fit_seconds"]
    saved = FITS.saved
    again = compute(calibrated("isotonic"))["fit_seconds"]
    assert again >= FITS.saved - saved > 0
    assert first > 0


def test_fits_without_a_seed_are_not_shared():
    data = make_multilabel(n_samples=40, n_labels=3, random_state=0)
    kind = ConditionalBernoulliMixture
    assert type(shared(kind(n_components=2))) is kind
    seeded = [shared(kind(n_components=2, max_iter=2, random_state=0)) for _ in "ab"]
    first, second = (model.fit(data.X, data.Y) for model in seeded)
    assert type(first).__name__ == kind.__name__
    assert first.trace_ is second.trace_
