"""The restorers of the lab keep the contract of restorers, and scikit-learn's."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from lab.restorers import MixedKNNImputer
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


def test_no_neighbors_is_an_error():
    with pytest.raises(ValueError, match="n_neighbors must be at least 1"):
        MixedKNNImputer(n_neighbors=0).fit(clean_frame(80))
