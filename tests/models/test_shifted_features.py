"""Features far from zero: the same answer as centred ones, or a clear error."""

import warnings

import numpy as np
import pytest

from labelfield import registry
from labelfield.datasets import make_multilabel

DATA = make_multilabel(n_samples=120, n_labels=4, random_state=0)
FAR = 1e8


@pytest.mark.parametrize("id", list(registry.CLASSIFIERS))
def test_far_features_are_answered_rightly_or_refused(id):
    model = registry.get(id).make_tiny()
    if model._wants_centred:
        with pytest.raises(ValueError, match="Column 0 of X has mean 1e.08.*StandardScaler"):
            model.fit(DATA.X + FAR, DATA.Y)
        return
    expected = model.fit(DATA.X, DATA.Y).predict_proba(DATA.X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        moved = registry.get(id).make_tiny().fit(DATA.X + FAR, DATA.Y)
    np.testing.assert_allclose(moved.predict_proba(DATA.X + FAR), expected, atol=2e-3)
