"""Classifiers on restored tables."""

import os

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC

from lab.restorers import DownstreamAccuracy
from labelfield.restore import load_mixed_table, make_mixed_net


@pytest.mark.parametrize("large", [False, True])
def test_classifiers_see_ranges_and_indicators(monkeypatch, large):
    whole = make_mixed_net(120, shift=2.0, n_sweeps=10, random_state=0)
    train, test = whole.take(slice(0, 80)), whole.take(slice(80, 120))
    low, high = train.continuous.min(axis=0), train.continuous.max(axis=0)

    def features(one):
        states = [np.eye(3)[codes] for codes in one.categorical.T]
        return np.hstack([(one.continuous - low) / (high - low), *states])

    if large:
        monkeypatch.setattr("lab.restorers.downstream.KERNEL_MACHINE_ROWS", 10)
    found = DownstreamAccuracy(train)(test)
    machine = LinearSVC(random_state=0) if large else SVC(kernel="linear")
    for name, model in (("knn_accuracy", KNeighborsClassifier(3)), ("svm_accuracy", machine)):
        expected = model.fit(features(train), train.target).score(features(test), test.target)
        assert found[name] == expected


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "knn", "svm"),
    [("crx", 0.8227, 0.8636), ("australian", 0.8783, 0.8478), ("german", 0.7417, 0.7838)],
)
def test_clean_accuracies_are_those_of_the_thesis(name, knn, svm):
    if not os.path.isdir(os.environ.get("LABELFIELD_DATA", "")):
        pytest.skip("LABELFIELD_DATA does not name the folder of the real data sets")
    train, test = (load_mixed_table(name, split=split) for split in ("train", "test"))
    train, test = train.filled_from(train), test.filled_from(train)
    found = DownstreamAccuracy(train)(test)
    assert (round(found["knn_accuracy"], 4), round(found["svm_accuracy"], 4)) == (knn, svm)
