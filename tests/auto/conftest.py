"""Small data and small forests."""

import pytest

from labelfield.datasets import make_multilabel


@pytest.fixture(autouse=True, scope="package")
def small_forests():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("labelfield.auto.plan.N_TREES", 10)
        patch.setattr("labelfield.auto.plan.N_TREES_BEST", 10)
        yield


@pytest.fixture(scope="package")
def data():
    return make_multilabel(n_samples=260, n_labels=4, random_state=0)
