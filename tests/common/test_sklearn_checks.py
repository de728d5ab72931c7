"""scikit-learn's estimator checks over the registry."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    CorrelatedLogistic,
    DependentRelevance,
    LabelCompletion,
    LabelPowerset,
    PairwiseCRF,
    ProbabilisticClassifierChain,
    RandomLabelsets,
    StackedRelevance,
)
from labelfield.registry import CLASSIFIERS

LOGISTIC = LogisticRegression()
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
AROUND_OTHERS = [
    BinaryRelevance(LOGISTIC),
    StackedRelevance(LOGISTIC, cv=2),
    DependentRelevance(TREE),
    LabelPowerset(LOGISTIC),
    RandomLabelsets(LOGISTIC, set_size=2, random_state=0),
    ProbabilisticClassifierChain(LOGISTIC),
    PairwiseCRF(BinaryRelevance(LOGISTIC), min_count=1, cv=2),
    CorrelatedLogistic(BinaryRelevance(LOGISTIC), cv=2, decoder="hamming"),
    LabelCompletion(LabelPowerset(LOGISTIC), random_state=0),
    CalibratedSetClassifier(BinaryRelevance(TREE), cv=2, calibrator="isotonic"),
]


def failures(estimator):
    entries = {entry.name: entry for entry in CLASSIFIERS.values()}
    reasons = entries[type(estimator).__name__].expected_failures
    return {name: why for name, why in reasons.items() if not name.startswith("check_label_")}


def failures_around(estimator):
    if estimator.get_params().get("estimator") is TREE and hasattr(estimator, "class_weight"):
        return {"check_class_weight_classifiers": "leaves of one row outweigh all others"}
    return {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [entry.make_tiny() for entry in CLASSIFIERS.values()],
    expected_failed_checks=failures,
    xfail_strict=True,
)
def test_sklearn_checks(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(AROUND_OTHERS, expected_failed_checks=failures_around, xfail_strict=True)
def test_sklearn_checks_around_its_own_classifiers(estimator, check):
    check(estimator)
