"""Which base learners are tried on which data."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelfield.auto.features import FeatureViews
from labelfield.auto.plan import plan_bases


@pytest.mark.parametrize(("n_features", "there"), [(50, True), (5000, False)])
def test_many_sparse_rows_get_trees_where_they_can_be_grown_on_a_table(n_features, there):
    n_rows = 25_000
    columns = np.tile(np.arange(3), n_rows)
    starts = np.arange(0, len(columns) + 1, 3)
    X = sp.csr_matrix((np.ones(len(columns)), columns, starts), shape=(n_rows, n_features))
    names = {base.name for base in plan_bases(FeatureViews().fit_transform(X), 4, "balanced")}
    assert ("forest" in names) == there
