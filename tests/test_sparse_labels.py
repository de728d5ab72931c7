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
    np.testing.assert_array_equal(model.predict_proba(X), proba)


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
