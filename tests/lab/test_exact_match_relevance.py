"""Binary relevance that chooses its strength for exact match, beside a search by scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from lab.grids import STRENGTHS
from lab.variants.exact_match_relevance import HELD_OUT, ExactMatchRelevance
from sklearn.model_selection import GridSearchCV, ShuffleSplit

from labelfield import BinaryRelevance, CalibratedSetClassifier
from labelfield.datasets import make_multilabel


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("decoder", ["hamming", "subset"])
def test_it_is_a_search_over_the_same_rows(seed, form, decoder):
    data = make_multilabel(n_samples=150, n_features=20, n_labels=4, random_state=seed)
    X = form(data.X)
    search = GridSearchCV(
        BinaryRelevance(decoder=decoder),
        {"alpha": list(STRENGTHS)},
        scoring="accuracy",
        cv=ShuffleSplit(1, test_size=HELD_OUT, random_state=0),
    ).fit(X, data.Y)
    model = ExactMatchRelevance(decoder=decoder).fit(X, data.Y)
    assert model.alpha_ == search.best_params_["alpha"]
    np.testing.assert_array_equal(model.predict(X), search.predict(X))


def test_wrappers_take_it():
    data = make_multilabel(n_samples=150, n_labels=3, random_state=0)
    wrapped = CalibratedSetClassifier(ExactMatchRelevance()).fit(data.X, data.Y)
    assert wrapped.predict_confidence(data.X[:4]).shape == (4,)
