"""The restorers of the lab keep the contract of restorers, and scikit-learn's."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from lab.restorers import (
    ForestImputer,
    IterativeTableImputer,
    MixedKNNImputer,
    RegularizedEMImputer,
    TwoStageRestorer,
)
from lab_restorers import tiny_restorers
from restorer_contract import RestorerContract
from small_tables import clean_frame


class TestRestorers(RestorerContract):
    @pytest.fixture(params=tiny_restorers(), ids=lambda r: type(r).__name__)
    def restorer(self, request):
        return request.param


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(tiny_restorers())
def test_sklearn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("restorer", "name"),
    [
        (MixedKNNImputer(n_neighbors=0), "n_neighbors"),
        (ForestImputer(n_estimators=0), "n_estimators"),
        (IterativeTableImputer(max_iter="abc"), "max_iter"),
        (RegularizedEMImputer(tol=np.nan), "tol"),
        (TwoStageRestorer("knni"), "estimator"),
        (TwoStageRestorer(MixedKNNImputer(n_neighbors=-1)), "n_neighbors"),
    ],
)
def test_bad_parameters_are_named(restorer, name):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of .* must be"):
        restorer.fit(clean_frame(80))
