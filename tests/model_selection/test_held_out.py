"""Folds inside models: a number, a splitter or the folds themselves."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, ShuffleSplit

from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    CorrelatedLogistic,
    JointStacking,
    LabelPowerset,
    MultilabelStratifiedGroupKFold,
    MultilabelStratifiedKFold,
    PairwiseCRF,
    SetReranker,
    StackedRelevance,
)
from labelfield.datasets import make_multilabel
from labelfield.model_selection import held_out_folds

DATA = make_multilabel(n_samples=90, n_features=4, n_labels=3, random_state=0)
X, Y = DATA.X, DATA.Y.astype(int)
MODELS = {
    "calibrated": lambda inner, cv: CalibratedSetClassifier(inner, cv=cv, calibrator="isotonic"),
    "rerank": lambda inner, cv: SetReranker(inner, cv=cv, calibrator="isotonic"),
    "stack": lambda inner, cv: JointStacking(
        [("a", inner), ("b", LabelPowerset(alpha=1.0))], cv=cv
    ),
    "crf": lambda inner, cv: PairwiseCRF(inner, cv=cv),
    "corrlog": lambda inner, cv: CorrelatedLogistic(inner, cv=cv),
    "2br": lambda inner, cv: StackedRelevance(cv=cv),
}


@pytest.mark.parametrize("make", MODELS.values(), ids=list(MODELS))
def test_a_splitter_and_its_folds_are_the_number(make):
    splitter = MultilabelStratifiedKFold(3, shuffle=True, random_state=0)
    expected = make(BinaryRelevance(), 3).fit(X, Y).predict_proba(X)
    for cv in (splitter, list(splitter.split(X, Y))):
        np.testing.assert_array_equal(
            make(BinaryRelevance(), cv).fit(X, Y).predict_proba(X), expected
        )


class Witness(BinaryRelevance):
    """Remembers which rows it learned from."""

    seen = []  # noqa: RUF012

    def _fit(self, X, Y, sample_weight=None):
        self.seen.append(set(X[:, 0].astype(int)))
        super()._fit(X[:, 1:], Y, sample_weight)

    def _joint(self, X):
        return super()._joint(X[:, 1:])


@pytest.mark.parametrize("id", ["calibrated", "rerank", "stack", "crf"])
def test_groups_stay_together_inside(id):
    groups = np.arange(90) // 5
    rows = np.column_stack([np.arange(90), X])
    folds = list(MultilabelStratifiedGroupKFold(3).split(X, Y, groups))
    Witness.seen.clear()
    MODELS[id](Witness(), folds).fit(rows, Y)
    assert [set(train) for train, _ in folds] == Witness.seen[:3]
    assert all(len({*groups[list(seen)]}) * 5 == len(seen) for seen in Witness.seen)


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        (ShuffleSplit(2, random_state=0), "test each of the 90 rows once; its 2 folds test"),
        ([], "test each of the 90 rows once; its 0 folds"),
        (list(KFold(3).split(X))[:2], "its 2 folds test 60 of them, 60 times"),
        ([(np.arange(90), np.arange(90))], "training rows are none, tested too"),
        ([(np.arange(100, 200), np.arange(90))], "or unknown"),
        ([(np.empty(0, int), np.arange(90))], "training rows are none"),
        ([np.arange(90)], "pairs of training and test rows"),
        ([(np.ones(90, bool), np.zeros(90, bool))], "must hold row numbers"),
    ],
)
def test_folds_that_cannot_be_used(cv, words):
    with pytest.raises(ValueError, match=words):
        held_out_folds(Y, cv)


@pytest.mark.parametrize("make", MODELS.values(), ids=list(MODELS))
@pytest.mark.parametrize("cv", [1, "five", 2.5, KFold])
def test_what_are_no_folds(make, cv):
    with pytest.raises(ValueError, match="'cv' parameter"):
        make(BinaryRelevance(), cv).fit(X, Y)
