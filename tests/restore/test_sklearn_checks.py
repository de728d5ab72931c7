"""scikit-learn's estimator checks over every restorer of the registry."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelfield.registry import RESTORERS, get


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        *(entry.make_tiny() for entry in RESTORERS.values()),
        get("rmf").make(alpha=0.1, inference="mean_field", noise_scale=0.2),
    ]
)
def test_sklearn_checks(estimator, check):
    check(estimator)
