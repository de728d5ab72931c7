"""Scores and the experiment's protocol."""

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.neighbors import KNeighborsClassifier

from labelfield.datasets import make_mixed_net, read_uci_table
from labelfield.restore import DownstreamAccuracy, MeanModeImputer, RandomMixedField, cell_scores
from labelfield.restore.protocol import METHODS, TABLES, Condition, RestorationTask

FILES = {"crx": "crx.data", "australian": "australian.dat", "german": "german.data"}


@pytest.fixture(scope="module")
def task():
    table = make_mixed_net(240, n_sweeps=20, random_state=0)
    methods = {"rmf": RandomMixedField(alpha=0.05), "mean-mode": MeanModeImputer()}
    return RestorationTask(table.take(slice(0, 160)), table.take(slice(160, 240)), methods)


def test_errors_of_observed_and_missing_cells_are_apart(task):
    dirty = task.damaged(Condition(0.5, 0.25), 0)
    hole, gap = np.isnan(dirty.continuous), dirty.categorical < 0
    numbers = np.where(hole, task.test.continuous + 3 * task.scale, dirty.continuous)
    codes = np.where(gap, task.test.categorical, dirty.categorical)
    scores = cell_scores(task.test, dirty, dirty.with_cells(numbers, codes), scale=task.scale)
    assert_allclose(scores["rmse_missing"], 3.0)
    assert abs(scores["rmse_observed"] - 0.5) < 0.03
    assert scores["error_missing"] == 0.0
    assert abs(scores["error_observed"] - 0.5) < 0.06
    unbroken = cell_scores(task.test, task.test, task.test, scale=task.scale)
    assert np.isnan(unbroken["rmse_missing"])


def test_classifiers_see_ranges_and_indicators(task):
    train = task.train
    low, high = train.continuous.min(axis=0), train.continuous.max(axis=0)

    def features(table):
        states = [np.eye(3)[codes] for codes in table.categorical.T]
        return np.hstack([(table.continuous - low) / (high - low), *states])

    plain = KNeighborsClassifier(3).fit(features(train), train.target)
    expected = plain.score(features(task.test), task.test.target)
    assert DownstreamAccuracy(train)(task.test)["knn"] == expected


def test_every_method_restores_the_same_damage(task):
    one, other = (task.damaged(Condition(0.2, 0.3), 4) for _ in range(2))
    assert_allclose(one.continuous, other.continuous)
    assert (one.missing().sum(axis=1) == round(0.3 * 25)).all()


def test_records_of_a_run(task):
    records = list(task.run(("none", "mean-mode"), [Condition(0.2, 0.0)], seeds=(0, 1)))
    assert [(r["method"], r["seed"]) for r in records] == [
        ("none", 0), ("mean-mode", 0), ("none", 1), ("mean-mode", 1),
    ]  # fmt: skip
    assert records[0]["rmse_observed"] == records[1]["rmse_observed"]


def test_the_field_is_told_the_noise(task):
    told = task.repetition("rmf", Condition(0.4, 0.3), 0)
    plain = task.repetition("mean-mode", Condition(0.4, 0.3), 0)
    assert task.fitted("rmf").noise_scale == 0.4
    for name in ("rmse_observed", "rmse_missing", "error_observed", "error_missing"):
        assert told[name] < plain[name]


def test_tables_of_the_thesis():
    assert [c.tau for c in TABLES["2.2"]] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert {c.tau for c in TABLES["2.4"]} == {0.4}
    assert {"rmf", "knni", "remi", "missf"} <= set(METHODS)


def folder():
    path = os.environ.get("LABELFIELD_DATA")
    if not path or not Path(path).is_dir():
        pytest.skip("LABELFIELD_DATA does not name the folder of the real data sets")
    return Path(path)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "knn", "svm"),
    [("crx", 0.8227, 0.8636), ("australian", 0.8783, 0.8478), ("german", 0.7417, 0.7838)],
)
def test_clean_accuracies_are_those_of_the_thesis(name, knn, svm):
    path = folder() / name / FILES[name]
    train, test = (read_uci_table(name, path, split=split) for split in ("train", "test"))
    clean = RestorationTask(train, test).repetition("none", Condition(0.0, 0.0), 0)
    assert (round(clean["knn"], 4), round(clean["svm"], 4)) == (knn, svm)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("tau", [0.1, 0.2, 0.3, 0.4, 0.5])
@pytest.mark.parametrize("name", sorted(FILES))
def test_estimated_noise_is_never_worse_than_leaving_cells_alone(name, tau):
    path = folder() / name / FILES[name]
    train, test = (read_uci_table(name, path, split=split) for split in ("train", "test"))
    task = RestorationTask(train, test)
    for seed in range(3):
        alone = task.repetition("none", Condition(tau, 0.0), seed)
        restored = task.repetition("rmf-estimate", Condition(tau, 0.0), seed)
        assert restored["rmse_observed"] < 1.02 * alone["rmse_observed"]
        assert restored["error_observed"] < alone["error_observed"]
