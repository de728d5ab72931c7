"""Fields on listed sets fitted to blocks: the answers of all rows at once."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

import row_blocks
from labelfield import BinaryRelevance, CorrelatedLogistic, PairwiseCRF
from labelfield.datasets import make_multilabel
from labelfield.learners.rows import memory
from row_blocks import fit_with_kills

MODELS = {
    "crf": PairwiseCRF(alpha=1.0, tol=1e-10),
    "crf-sets": PairwiseCRF(alpha=1.0, set_alpha=2.0, tol=1e-10),
    "support": CorrelatedLogistic(objective="support", alpha=1.0, tol=1e-10),
    "exact": CorrelatedLogistic(alpha=1.0, edge_alpha=2.0, tol=1e-10),
    "auto": PairwiseCRF(tol=1e-10),
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(n_samples=150, n_features=5, n_labels=4, random_state=0)
    X = np.column_stack([made.X, np.full(150, 2.0)])
    Y = np.column_stack([made.Y, np.zeros(150, int)])
    weight = np.random.default_rng(0).integers(0, 3, 150).astype(float)
    Y[np.flatnonzero(weight == 0)[0]] = 1  # a set of a row that does not count
    return X, Y, weight


cut = partial(row_blocks.cut, size=60)


@every_model
def test_blocks_give_the_answer_of_all_rows(data, model):
    X, Y, weight = data
    whole = model.fit(X, Y, weight).predict_joint(X)
    parts = model.fit(cut(data)).predict_joint(X)
    np.testing.assert_allclose(parts.marginals(), whole.marginals(), atol=1e-8)
    np.testing.assert_allclose(parts.log_prob(Y), whole.log_prob(Y), atol=1e-7)


@every_model
def test_equal_blocks_give_equal_bits(data, model, monkeypatch):
    monkeypatch.setattr(memory, "rows_of_block", lambda *sizes: 60)
    monkeypatch.setattr("labelfield.learners.rows.stream.rows_of_block", lambda *sizes: 60)
    X, Y = data[0][:, :-1], data[1]
    whole = model.set_params(alpha=1.0, tol=1e-6).fit(X, Y).predict_proba(X)
    for size in (60, 150):
        found = model.fit(cut((X, Y), size=size)).predict_proba(X)
        np.testing.assert_array_equal(found, whole)


def test_sparse_blocks(data):
    X, Y = data[0] * (np.abs(data[0]) > 0.8), data[1]
    model = PairwiseCRF(alpha=1.0, tol=1e-10)
    whole = model.fit(sp.csr_matrix(X), Y).predict_proba(X)
    parts = model.fit(cut((X, Y), convert=sp.csr_matrix)).predict_proba(X)
    np.testing.assert_allclose(parts, whole, atol=1e-8)


def test_a_killed_fit_goes_on_and_ends_equal(data, tmp_path):
    model = PairwiseCRF(alpha=0.1)
    wanted = model.fit(cut(data[:2])).predict_proba(data[0])
    needed, passes = fit_with_kills(model, cut(data[:2]), tmp_path / "state")
    assert passes < needed
    np.testing.assert_array_equal(model.predict_proba(data[0]), wanted)


def test_what_cannot_be_fitted_in_blocks_says_what_to_change(data):
    for model, message in [
        (CorrelatedLogistic(objective="pseudo"), "choose objective='exact' or 'support'"),
        (CorrelatedLogistic(l1_ratio=0.5), "set l1_ratio=0"),
        (CorrelatedLogistic(alpha=0.0), "alpha above 0"),
        (PairwiseCRF(BinaryRelevance()), "leave out `estimator`"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.fit(cut(data))
