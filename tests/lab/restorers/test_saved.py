"""Restorers of the lab in files."""

import pytest
from numpy.testing import assert_array_equal

from lab.restorers import RESTORERS
from lab_restorers import TINY
from labelfield import io
from small_tables import numbers_with_holes

OWN = {id: [f"{made.__module__}.{made.__name__}"] for id, made in RESTORERS.items()} | {
    "knni": ["lab.restorers.knn.MixedKNNImputer", "lab.restorers.neighbors.MixedNeighbors"],
    "two-stage": [
        "lab.restorers.knn.MixedKNNImputer",
        "lab.restorers.neighbors.MixedNeighbors",
        "lab.restorers.two_stage.TwoStageRestorer",
    ],
}
SKLEARN = {
    "forest": ["sklearn.tree._tree.Tree"],
    "mice": [
        "sklearn.impute._iterative.IterativeImputer",
        "sklearn.impute._iterative._ImputerTriplet",
    ],
}


@pytest.mark.parametrize("id", RESTORERS)
def test_a_saved_restorer_answers_the_same(id, tmp_path):
    clean, dirty = numbers_with_holes()
    model = RESTORERS[id](**TINY.get(id, {})).set_params(categorical=[2]).fit(clean)
    path, trusted = tmp_path / "restorer.lf", [*OWN[id], *SKLEARN.get(id, [])]
    for name in (trusted[0], trusted[-1]):
        with pytest.raises(ValueError, match=name):
            io.save(model, path)
    io.save(model, path, trusted=trusted)
    loaded = io.load(path, trusted=trusted)
    assert_array_equal(loaded.transform(dirty), model.transform(dirty))
