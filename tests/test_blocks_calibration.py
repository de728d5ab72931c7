"""Confidence in sets learned from blocks: the answers of all rows at once."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

import row_blocks
from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    JointStacking,
    LabelPowerset,
    MLkNN,
    ProbabilisticClassifierChain,
    SetReranker,
)
from labelfield.datasets import make_multilabel
from row_blocks import fit_with_kills

EXACTLY = {"alpha": 1.0, "tol": 1e-10}
RELEVANCE = BinaryRelevance(**EXACTLY)
POOL = JointStacking([("one", RELEVANCE), ("two", LabelPowerset(**EXACTLY))], cv=2)
SIGMOID = {"calibrator": "sigmoid", "cv": 3}
WRAPPERS = {
    "auto": CalibratedSetClassifier(RELEVANCE, cv=3),
    "folds": CalibratedSetClassifier(RELEVANCE, **SIGMOID, promise=2),
    "held-out": CalibratedSetClassifier(RELEVANCE, **SIGMOID, promise=0.3),
    "share": CalibratedSetClassifier(RELEVANCE, cv=0.4, calibrator="sigmoid", promise=None),
    "curves": CalibratedSetClassifier(RELEVANCE, **SIGMOID, label_calibration="isotonic"),
    "f1": CalibratedSetClassifier(RELEVANCE, **SIGMOID, target="f1", decoder="f1"),
    "sets": CalibratedSetClassifier(LabelPowerset(**EXACTLY), **SIGMOID),
    "chain": CalibratedSetClassifier(ProbabilisticClassifierChain(**EXACTLY), **SIGMOID),
    "pool": CalibratedSetClassifier(POOL, **SIGMOID, promise=None),
    "reranker": SetReranker(RELEVANCE, **SIGMOID, n_candidates=3),
}


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(n_samples=200, n_features=5, n_labels=3, random_state=0)
    X = np.column_stack([made.X, np.full(200, 2.0)])  # a column that no model uses
    return X, np.asarray(made.Y)


cut = partial(row_blocks.cut, size=60)


@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
def test_blocks_give_the_confidence_of_all_rows(data, wrapper):
    X, Y = data
    whole = wrapper.fit(X, Y)
    wanted, rows = whole.predict_confidence(X), whole.reviewed_rows_
    sets = whole.predict(X)
    parts = wrapper.fit(cut(data))
    np.testing.assert_allclose(parts.predict_confidence(X), wanted, atol=1e-8)
    np.testing.assert_array_equal(parts.predict(X), sets)
    if rows is None:
        assert parts.reviewed_rows_ is None
        return
    assert parts.reviewed_rows_.exact == rows.exact
    np.testing.assert_array_equal(parts.reviewed_rows_.sets.toarray(), rows.sets.toarray())
    np.testing.assert_allclose(parts.reviewed_rows_.confidence, rows.confidence, atol=1e-8)
    np.testing.assert_allclose(parts.reviewed_rows_.log_prob, rows.log_prob, atol=1e-7)


def test_a_fitted_model_is_calibrated_on_blocks(data):
    X, Y = data
    for fitted in (MLkNN(n_neighbors=5).fit(X[:80], Y[:80]), RELEVANCE.fit(X[:80], Y[:80])):
        wrapper = CalibratedSetClassifier(fitted, cv="prefit", calibrator="sigmoid")
        wanted = wrapper.fit(X[80:], Y[80:]).predict_confidence(X)
        found = wrapper.fit(cut((X[80:], Y[80:]))).predict_confidence(X)
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_sparse_blocks(data):
    X, Y = data[0] * (np.abs(data[0]) > 0.8), data[1]
    wrapper = WRAPPERS["held-out"]
    wanted = wrapper.fit(sp.csr_matrix(X), Y).predict_confidence(X)
    found = wrapper.fit(cut((X, Y), convert=sp.csr_matrix)).predict_confidence(X)
    np.testing.assert_allclose(found, wanted, atol=1e-8)


def test_a_killed_fit_ends_equal(data, tmp_path):
    blocks, wrapper = cut(data), WRAPPERS["held-out"]
    wanted = wrapper.fit(blocks).predict_confidence(data[0])
    fit_with_kills(wrapper, blocks, tmp_path / "state", shares=(0.3, 0.7))
    np.testing.assert_array_equal(wrapper.predict_confidence(data[0]), wanted)


def test_what_blocks_cannot_do_is_said(data):
    blocks = cut(data)
    with pytest.raises(ValueError, match="wrap BinaryRelevance.*MLkNN.* does not.*cv='prefit'"):
        CalibratedSetClassifier(MLkNN()).fit(blocks)
    with pytest.raises(ValueError, match="leave out extra_features"):
        CalibratedSetClassifier(RELEVANCE, extra_features=lambda X, sets: X).fit(blocks)
    with pytest.raises(ValueError, match="learns on held-out rows"):
        CalibratedSetClassifier(RELEVANCE, decoder="threshold_f1_macro").fit(blocks)
    with pytest.raises(ValueError, match="have no weights"):
        CalibratedSetClassifier(RELEVANCE).fit(cut((*data, np.ones(200))))
