"""Naming a few labels: the measures of a row by hand, and a whole cell."""

import numpy as np
import pytest
from lab.runner import compute
from lab.tasks.name_labels import measure_named

from lab import Cell, FreshDraws, Generated, Model
from labelfield.metrics import label_propensities


def test_measures_by_hand():
    rng = np.random.default_rng(0)
    known = (rng.random((50, 8)) < 0.3).astype(int)
    truth = (rng.random((20, 8)) < 0.4).astype(int)
    truth[:, 0] = 1
    scores = rng.random((20, 8))
    found = measure_named(known, truth, scores)
    p = label_propensities(known)
    for k in (1, 3, 5):
        hits, gained, most = 0, 0.0, 0.0
        for row in range(20):
            named = sorted(range(8), key=lambda label: -scores[row, label])[:k]
            hits += sum(truth[row, label] for label in named)
            gained += sum(truth[row, label] / p[label] for label in named)
            most += sum(sorted((1 / p)[truth[row] == 1], reverse=True)[:k])
        assert found[f"precision_at_{k}"] == pytest.approx(hits / (20 * k))
        assert found[f"propensity_precision_at_{k}"] == pytest.approx(gained / most)


def test_a_cell():
    source = Generated("make_multilabel", {"n_labels": 6})
    cell = Cell("name_labels", source, FreshDraws(80, 40), 0, Model("br"))
    figures = compute(cell)["figures"]["own"]
    assert 0.4 < figures["precision_at_1"] <= 1
    assert figures["precision_at_5"] < figures["precision_at_1"]
