"""A sparse Y stays sparse: the same answers as for the dense one, without a dense detour."""

import numpy as np
import pytest
import scipy.sparse as sp

import labelfield.joints.base as joints
from labelfield import BinaryRelevance
from labelfield.datasets import make_multilabel


@pytest.fixture
def data():
    made = make_multilabel(n_samples=120, n_features=6, n_labels=5, random_state=0)
    return made.X, np.asarray(made.Y)


@pytest.mark.parametrize("alpha", ["auto", 1.0])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_sparse_labels_give_the_answers_of_dense_ones(data, alpha, class_weight):
    X, Y = data
    options = {"alpha": alpha, "class_weight": class_weight}
    dense = BinaryRelevance(**options).fit(X, Y)
    sparse = BinaryRelevance(**options).fit(X, sp.csr_matrix(Y))
    np.testing.assert_array_equal(sparse.coef_, dense.coef_)
    predicted = sparse.predict(X)
    assert sp.issparse(predicted)
    np.testing.assert_array_equal(predicted.toarray(), dense.predict(X))
    assert sparse.predict_names(X[:5]) == dense.predict_names(X[:5])


@pytest.mark.parametrize("decoder", ["subset", "threshold_f1_macro"])
def test_predictions_in_blocks_are_those_in_one(data, decoder, monkeypatch):
    X, Y = data
    weight = np.arange(len(Y)) % 3
    model = BinaryRelevance(alpha=1.0, decoder=decoder).fit(X, sp.csc_array(Y), weight)
    whole, proba = model.predict(X), model.predict_proba(X)
    monkeypatch.setattr(joints, "BLOCK_BYTES", 64 * 5 * 7)
    assert len(model._row_blocks(X)) > 10
    np.testing.assert_array_equal(model.predict(X).toarray(), whole.toarray())
    np.testing.assert_allclose(model.predict_proba(X), proba, rtol=1e-12)


def test_labels_are_never_made_dense(data, monkeypatch):
    def refuse(self, *args, **options):
        raise AssertionError("a sparse matrix was made dense")

    X, Y = data
    Y = sp.csr_array(Y)
    monkeypatch.setattr(type(Y), "toarray", refuse)
    monkeypatch.setattr(sp.csr_matrix, "toarray", refuse)
    model = BinaryRelevance(alpha=1.0).fit(X, Y)
    assert model.predict(X).nnz > 0


def test_unknown_labels_of_a_sparse_target_still_work(data):
    X, Y = data
    Y = Y.astype(float)
    Y[3, 1] = np.nan
    sparse, dense = BinaryRelevance().fit(X, sp.csr_matrix(Y)), BinaryRelevance().fit(X, Y)
    np.testing.assert_array_equal(sparse.coef_, dense.coef_)


@pytest.mark.parametrize("sparse_features", [False, True])
def test_small_weights_are_dropped(data, sparse_features):
    X, Y = data
    X = np.column_stack([np.full(len(X), 3.0), X])
    features = sp.csr_matrix(X) if sparse_features else X
    full = BinaryRelevance(alpha=1.0).fit(features, sp.csr_matrix(Y))
    pruned = BinaryRelevance(alpha=1.0, min_weight=0.2).fit(features, sp.csr_matrix(Y))
    assert sp.issparse(pruned.coef_)
    assert 0 < pruned.coef_.nnz < full.coef_.size
    kept = np.where(np.abs(full.coef_) >= 0.2, full.coef_, 0.0)
    np.testing.assert_array_equal(pruned.coef_.toarray(), kept)
    scores = X @ kept.T + full.intercept_
    np.testing.assert_allclose(pruned.decision_function(features), scores, atol=1e-9)
    assert pruned.explain(features[:1])


def test_top_labels_are_the_most_probable_ones(data, monkeypatch):
    X, Y = data
    model = BinaryRelevance(alpha=1.0).fit(X, sp.csr_matrix(Y))
    monkeypatch.setattr(joints, "BLOCK_BYTES", 64 * 5 * 7)
    labels, p = model.predict_top_labels(X, k=3)
    proba = model.predict_proba(X)
    np.testing.assert_array_equal(p, -np.sort(-proba, axis=1)[:, :3])
    np.testing.assert_array_equal(np.take_along_axis(proba, labels, axis=1), p)
    with pytest.raises(ValueError, match="k=6 must be a whole number between 1 and 5"):
        model.predict_top_labels(X, k=6)
