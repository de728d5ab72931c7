"""Restorers in files."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from labelfield import io
from labelfield.registry import get

PARTS = {"two-stage": {"estimator": get("knni").make()}}
# of scikit-learn, which a file may hold only if its reader says so
FOREIGN = {
    "forest": ["sklearn.tree._tree.Tree"],
    "mice": [
        "sklearn.impute._iterative.IterativeImputer",
        "sklearn.impute._iterative._ImputerTriplet",
    ],
}


@pytest.mark.parametrize("id", ["rmf", "knni", "remi", "forest", "mice", "mean-mode", "two-stage"])
def test_a_saved_restorer_answers_the_same(id, tmp_path):
    rng = np.random.default_rng(0)
    number = np.where(rng.random(120) < 0.5, 0.0, np.exp(rng.normal(size=120)))
    clean = np.column_stack([number, rng.normal(size=120), number == 0.0])
    dirty = clean[:20].copy()
    dirty[rng.random(dirty.shape) < 0.3] = np.nan
    model = get(id).make(**PARTS.get(id, {})).set_params(categorical=[2]).fit(clean)
    path, trusted = tmp_path / "restorer.lf", FOREIGN.get(id, [])
    if trusted:
        with pytest.raises(ValueError, match=trusted[-1]):
            io.save(model, path)
    io.save(model, path, trusted=trusted)
    loaded = io.load(path, trusted=trusted)
    assert_array_equal(loaded.transform(dirty), model.transform(dirty))
