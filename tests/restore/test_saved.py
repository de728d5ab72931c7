"""Restorers in files."""

import pytest
from numpy.testing import assert_array_equal

from labelfield import io
from labelfield.registry import RESTORERS
from small_tables import numbers_with_holes


@pytest.mark.parametrize("id", RESTORERS)
def test_a_saved_restorer_answers_the_same(id, tmp_path):
    clean, dirty = numbers_with_holes()
    model = RESTORERS[id].make().set_params(categorical=[2]).fit(clean)
    io.save(model, tmp_path / "restorer.lf")
    loaded = io.load(tmp_path / "restorer.lf")
    assert_array_equal(loaded.transform(dirty), model.transform(dirty))
