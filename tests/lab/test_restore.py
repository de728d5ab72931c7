"""The restoration task on a small table."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from lab.building import build
from lab.runner import compute
from lab.shared_fits import FITS
from lab.tasks.restore import _fit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from lab import Column, DirtyTest, Method, Model, Source, cells_of
from labelfield.restore import MixedTable

pytest.importorskip("pandas")


@dataclass(frozen=True)
class SmallTable(Source):
    """Two numbers and two categories that depend on the class; one hole of each kind."""

    title = "small"

    def load(self, split=None):
        rng = np.random.default_rng(0)
        target = rng.integers(2, size=90)
        numbers = rng.normal(size=(90, 2)) + 2 * target[:, None]
        states = (rng.random((90, 2)) < 0.2 + 0.6 * target[:, None]).astype(int)
        numbers[0, 0] = np.nan
        states[1, 1] = -1
        table = MixedTable(
            numbers, states, (("no", "yes"), ("a", "b")), target=target, class_names=("-", "+")
        )
        return table.take(slice(0, 60) if split == "train" else slice(60, 90))

    def missing(self):
        return ""


def cell_of(table, noise, missing, restorer="sklearn.preprocessing.FunctionTransformer"):
    changed = replace(
        table,
        task="restore",
        columns=(Column("small", SmallTable(), DirtyTest(noise, missing)),),
        methods=(Method("as observed", Model(restorer)),),
        metrics=("knn_accuracy",),
        published={},
        reference="",
    )
    return cells_of(changed)[0]


def encode(table, reference):
    low, high = reference.continuous.min(axis=0), reference.continuous.max(axis=0)
    indicators = [np.eye(2)[table.categorical[:, j]] for j in (0, 1)]
    return np.hstack([(table.continuous - low) / (high - low), *indicators])


def test_accuracies_by_hand(table):
    cell = cell_of(table, noise=0.4, missing=0.0)
    part = cell.protocol.part(cell.source, 0)
    X, X_dirty = encode(part.train, part.train), encode(part.extra, part.train)
    figures = compute(cell)["figures"]["own"]
    for name, model in (
        ("knn_accuracy", KNeighborsClassifier(3)),
        ("svm_accuracy", SVC(kernel="linear")),
    ):
        by_hand = model.fit(X, part.train.target).score(X_dirty, part.test.target)
        assert figures[name] == pytest.approx(by_hand)
    assert figures["rmse_observed"] == pytest.approx(0.4, abs=0.15)
    assert np.isnan(figures["rmse_missing"])


def test_holes_of_the_original_are_filled_and_training_is_clean(table):
    part = DirtyTest(0.3, 0.5).part(SmallTable(), 0)
    assert not part.train.missing().any()
    assert not part.test.missing().any()
    assert (part.extra.missing().sum(axis=1) == 2).all()
    again = DirtyTest(0.3, 0.5).part(SmallTable(), 0)
    np.testing.assert_array_equal(again.extra.continuous, part.extra.continuous)


def test_a_clean_table_is_tested_once(table):
    assert DirtyTest(0.0, 0.0).only_seeds
    assert not DirtyTest(0.1, 0.0).only_seeds
    figures = compute(cell_of(table, 0.0, 0.0))["figures"]["own"]
    assert figures["rmse_observed"] == figures["state_error_observed"] == 0.0


def test_fits_that_differ_only_in_the_noise_they_are_told_are_shared(table):
    cells = [
        replace(
            cell_of(table, noise, 0.3),
            model=Model("rmf", {"alpha": 0.1, "random_state": 0, "noise_scale": noise}),
        )
        for noise in (0.2, 0.4)
    ]
    first, second = (compute(cell) for cell in cells)
    assert first["fit_seconds"] == second["fit_seconds"] > 0
    assert first["figures"]["own"]["rmse_missing"] < 1.0
    assert 0.0 < first["figures"]["own"]["rmse_observed"] < 0.25


def test_a_restorer_made_of_two_is_described_and_run(table):
    stages = {
        "estimator": Model("knni", {"n_neighbors": 3}),
        "corrector": Model("rmf", {"alpha": 0.02, "noise_scale": 0.6, "flip_rate": 0.3}),
        "random_state": 0,
    }
    cell = replace(cell_of(table, 0.6, 0.25), model=Model("two-stage", stages))
    alone = replace(cell, model=Model("knni", {"n_neighbors": 3}))
    both, trusting = (compute(one)["figures"]["own"] for one in (cell, alone))
    assert both["rmse_observed"] < trusting["rmse_observed"]
    assert cell.describe()["model"]["parameters"]["corrector"]["id"] == "rmf"


@pytest.mark.parametrize("filler", ["knni", "remi", "forest"])
def test_shared_stages_restore_like_those_of_a_cell_alone(table, filler):
    few = {"n_estimators": 5, "random_state": 0} if filler == "forest" else {}
    field = {"alpha": 0.02, "random_state": 0, "noise_scale": 0.3, "flip_rate": 0.3}
    models = [Model(filler, few), Model("rmf", field), Model("rmf", {**field, "noise_scale": 0.1})]
    stages = {"estimator": models[0], "corrector": models[1], "random_state": 0}
    cells = [
        replace(cell_of(table, 0.3, 0.25), model=model, repetition=repetition)
        for repetition in (0, 1)
        for model in (*models, Model("two-stage", stages))
    ]
    together = [compute(cell) for cell in cells]
    for cell, shared in zip(cells, together):
        FITS.clear()
        assert str(compute(cell)["figures"]) == str(shared["figures"])
    assert together[0]["fit_seconds"] == together[4]["fit_seconds"]
    assert together[3]["fit_seconds"] == pytest.approx(
        together[0]["fit_seconds"] + together[1]["fit_seconds"]
    )


def test_two_shared_stages_are_a_restorer_fitted_whole(table):
    field = Model("rmf", {"alpha": 0.02, "random_state": 0, "noise_scale": 0.3, "flip_rate": 0.3})
    model = Model("two-stage", {"estimator": Model("knni"), "corrector": field, "random_state": 0})
    cell = cell_of(table, 0.3, 0.25)
    part = cell.protocol.part(cell.source, 0)
    dirty = part.extra.to_frame()
    whole = build(model).fit(part.train.to_frame()).transform(dirty)
    assert _fit(model, 0, part.train)[0].transform(dirty).equals(whole)
