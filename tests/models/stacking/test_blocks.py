"""Pools of members that are fitted to blocks: the answers of all rows at once."""

from functools import partial

import numpy as np
import pytest

import row_blocks
from labelfield import BinaryRelevance, JointStacking, LabelPowerset, MLkNN
from labelfield.datasets import make_multilabel
from row_blocks import fit_with_kills

TIGHT = {"alpha": 1.0, "tol": 1e-10}
MEMBERS = [("br", BinaryRelevance(**TIGHT)), ("lp", LabelPowerset(**TIGHT))]


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(n_samples=120, n_features=4, n_labels=3, random_state=0)
    return made.X, np.asarray(made.Y), np.random.default_rng(0).integers(0, 3, 120).astype(float)


cut = partial(row_blocks.cut, size=50)


def test_blocks_give_the_answer_of_all_rows(data):
    X, Y, weight = data
    whole = JointStacking(MEMBERS, cv=3).fit(X, Y, weight)
    parts = JointStacking(MEMBERS, cv=3).fit(cut(data))
    assert parts.weights_ == pytest.approx(whole.weights_, abs=1e-8)
    assert parts.log_likelihood_ == pytest.approx(whole.log_likelihood_, abs=1e-8)
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-8)


def test_a_killed_fit_goes_on_and_ends_equal(data, tmp_path):
    model = JointStacking(MEMBERS, cv=2)
    wanted = model.fit(cut(data)).predict_proba(data[0])
    needed, passes = fit_with_kills(model, cut(data), tmp_path / "state")
    assert passes < needed
    np.testing.assert_array_equal(model.predict_proba(data[0]), wanted)


def test_what_cannot_be_fitted_in_blocks_says_what_to_change(data):
    with pytest.raises(ValueError, match="leave out 'near', which does not"):
        JointStacking([*MEMBERS, ("near", MLkNN())]).fit(cut(data))
    with pytest.raises(ValueError, match="choose weighting='likelihood'"):
        JointStacking(MEMBERS, weighting="exact_match").fit(cut(data))
