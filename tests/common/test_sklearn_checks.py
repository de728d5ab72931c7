"""scikit-learn's estimator checks over the registry."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelfield.registry import CLASSIFIERS


def failures(estimator):
    entries = {entry.name: entry for entry in CLASSIFIERS.values()}
    reasons = entries[type(estimator).__name__].expected_failures
    return {name: why for name, why in reasons.items() if not name.startswith("check_label_")}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [entry.make_tiny() for entry in CLASSIFIERS.values()],
    expected_failed_checks=failures,
    xfail_strict=True,
)
def test_sklearn_checks(estimator, check):
    check(estimator)
