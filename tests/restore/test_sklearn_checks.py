"""scikit-learn's estimator checks over every restorer."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelfield.restore import (
    ForestImputer,
    IterativeTableImputer,
    MeanModeImputer,
    MixedKNNImputer,
    RandomMixedField,
    RegularizedEMImputer,
)

RESTORERS = [
    RandomMixedField(alpha=0.1),
    RandomMixedField(alpha=0.1, inference="mean_field", noise_scale=0.2),
    MeanModeImputer(),
    MixedKNNImputer(),
    RegularizedEMImputer(),
    ForestImputer(n_estimators=3, max_iter=2, random_state=0),
    IterativeTableImputer(max_iter=2, random_state=0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(RESTORERS)
def test_sklearn_checks(estimator, check):
    check(estimator)
