import numpy as np
import pytest
import scipy.sparse as sp

from labelfield.learners import (
    Design,
    LogisticLearner,
    MultinomialLearner,
    as_design,
    find_spectrum,
)
from labelfield.learners.rows.design import DenseDesign, SparseDesign, as_fit_design


class Chunked(Design):
    """A matrix that is never there in one piece: products only."""

    def __init__(self, chunks):
        self.chunks = chunks
        self.shape = (sum(map(len, chunks)), chunks[0].shape[1])
        self.dtype = chunks[0].dtype

    def matmul(self, W):
        return np.concatenate([chunk @ W for chunk in self.chunks])

    def rmatmul(self, R):
        bounds = np.cumsum([len(chunk) for chunk in self.chunks])[:-1]
        return sum(chunk.T @ part for chunk, part in zip(self.chunks, np.split(R, bounds)))

    def take(self, rows):
        return Chunked([np.concatenate(self.chunks)[rows]])


def designs(X):
    yield as_design(X)
    yield as_design(np.asfortranarray(X))
    yield as_design(np.repeat(X, 2, axis=1)[:, ::2])
    yield as_design(sp.csr_matrix(X))
    yield as_design(sp.csc_array(X))
    yield Chunked(np.array_split(X, 3))


def test_products_are_those_of_the_matrix():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 7)) * (rng.random((20, 7)) < 0.5)
    W, R, weight = rng.normal(size=(7, 3)), rng.normal(size=(20, 3)), rng.random(20)
    for design in designs(X):
        assert design.shape == (20, 7)
        np.testing.assert_allclose(design.matmul(W), X @ W, atol=1e-14)
        np.testing.assert_allclose(design.matmul(np.asfortranarray(W)), X @ W, atol=1e-14)
        np.testing.assert_allclose(design.rmatmul(R), X.T @ R, atol=1e-14)
        np.testing.assert_allclose(design.gram(weight), (X.T * weight) @ X, atol=1e-13)


def test_a_design_is_taken_as_it_is():
    design = as_design(np.eye(3))
    assert as_design(design) is design


def test_gram_in_blocks_equals_gram(monkeypatch):
    monkeypatch.setattr("labelfield.learners.rows.design.GRAM_BYTES", 8 * 20 * 3)
    X = np.random.default_rng(0).normal(size=(20, 7))
    np.testing.assert_allclose(as_design(sp.csr_array(X)).gram(np.ones(20)), X.T @ X, atol=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
def test_spectrum_is_exact_with_few_features(weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 7)) + 3.0
    weight = rng.random(20) if weighted else None
    spectrum = find_spectrum(as_design(X), weight)
    s = np.ones(20) if weight is None else weight
    centred = X - s @ X / s.sum()
    matrix = (spectrum.axes * spectrum.values) @ spectrum.axes.T
    np.testing.assert_allclose(matrix, (centred.T * s) @ centred, atol=1e-12)
    np.testing.assert_allclose(spectrum.total, s.sum())


def test_spectrum_of_many_features_finds_the_largest_axes():
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(200, 4)) * [60.0, 40.0, 30.0, 20.0]
    X = factors @ np.linalg.qr(rng.normal(size=(600, 4)))[0].T + 0.1 * rng.normal(size=(200, 600))
    spectrum = find_spectrum(as_design(X))
    values = np.linalg.eigvalsh((X - X.mean(axis=0)).T @ (X - X.mean(axis=0)))[::-1]
    np.testing.assert_allclose(spectrum.values[:4], values[:4], rtol=0.01)
    assert spectrum.axes.shape == (600, 10)
    np.testing.assert_allclose(spectrum.axes.T @ spectrum.axes, np.eye(10), atol=1e-10)
    assert 0 < spectrum.rest < values[4]


@pytest.mark.parametrize("learner", [LogisticLearner, MultinomialLearner])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_columns_that_no_row_uses_get_no_weight_and_change_nothing(learner, l1_ratio):
    rng = np.random.default_rng(0)
    narrow, T = rng.normal(size=(60, 3)), rng.dirichlet(np.ones(3), size=60)
    wide = np.zeros((60, 7))
    wide[:, [1, 2, 5]] = narrow
    start = rng.normal(size=(7, 3)), rng.normal(size=3)
    options = {"alpha": 0.5, "l1_ratio": l1_ratio, "tol": 1e-9, "max_iter": 5000}
    for begin in (None, start):
        few = learner(**options).fit(narrow, T)
        many = learner(**options).fit(sp.csr_matrix(wide), T, start=begin)
        np.testing.assert_allclose(many.coef_[[1, 2, 5]], few.coef_, atol=1e-6)
        np.testing.assert_array_equal(many.coef_[[0, 3, 4, 6]], 0.0)
        np.testing.assert_allclose(many.intercept_, few.intercept_, atol=1e-6)


@pytest.mark.parametrize("learner", [LogisticLearner, MultinomialLearner])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_constant_columns_far_from_zero_cost_no_iterations(learner, dtype):
    rng = np.random.default_rng(0)
    varying, T = rng.normal(size=(3000, 3)).astype(dtype), rng.dirichlet(np.ones(3), size=3000)
    wide = np.full((3000, 5), 123456789.125, dtype=dtype)
    wide[:, [0, 2, 4]] = varying
    few, many = learner().fit(varying, T), learner().fit(wide, T)
    assert many.n_iter_ <= 20
    np.testing.assert_allclose(many.coef_[[0, 2, 4]], few.coef_, atol=1e-4)
    np.testing.assert_array_equal(many.coef_[[1, 3]], 0.0)
    none = learner().fit(wide[:, [1, 3]], T)
    assert none.n_iter_ <= 5
    np.testing.assert_array_equal(none.coef_, 0.0)


def test_masks_and_spectra_are_those_of_all_columns():
    rng = np.random.default_rng(1)
    wide = np.zeros((60, 5))
    wide[:, [0, 3, 4]] = rng.normal(size=(60, 3))
    Y = rng.integers(0, 2, (60, 2))
    mask = np.array([[1, 0], [1, 1], [1, 1], [0, 1], [1, 1]], dtype=bool)
    found = [
        LogisticLearner(tol=1e-9, max_iter=5000).fit(
            X, Y, mask=mask, spectrum=find_spectrum(design)
        )
        for X, design in ((wide, as_design(wide)), (sp.csr_matrix(wide), as_design(wide)))
    ]
    np.testing.assert_allclose(found[1].coef_, found[0].coef_, atol=1e-6)
    assert found[1].coef_[0, 1] == found[1].coef_[3, 0] == 0.0


@pytest.mark.parametrize("learner", [LogisticLearner, MultinomialLearner])
def test_arrays_of_mostly_zeros_are_learned_from_as_sparse_ones(learner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 60)) * (rng.random((400, 60)) < 0.04)
    assert isinstance(as_fit_design(X), SparseDesign)
    assert isinstance(as_fit_design(X[:50]), DenseDesign)  # small
    assert isinstance(as_fit_design(np.where(X == 0.0, 1.0, X)), DenseDesign)
    T = rng.dirichlet(np.ones(3), size=400)
    thin, sparse = learner(tol=1e-9).fit(X, T), learner(tol=1e-9).fit(sp.csr_matrix(X), T)
    np.testing.assert_array_equal(thin.coef_, sparse.coef_)
    np.testing.assert_allclose(
        thin.coef_, learner(tol=1e-9).fit(DenseDesign(X), T).coef_, atol=1e-6
    )


@pytest.mark.parametrize("plain", [False, True])
def test_products_are_the_same_whichever_way_round_they_are_made(monkeypatch, plain):
    monkeypatch.setattr("labelfield.learners.rows.design._plain_is_faster", lambda: plain)
    rng = np.random.default_rng(0)
    X, W, R = rng.normal(size=(9, 5)), rng.normal(size=(5, 3)), rng.normal(size=(9, 3))
    np.testing.assert_allclose(DenseDesign(X).matmul(W), np.einsum("ij,jk", X, W), atol=1e-14)
    np.testing.assert_allclose(DenseDesign(X).rmatmul(R), np.einsum("ji,jk", X, R), atol=1e-14)
    weight = rng.random(9)
    gram = np.einsum("ni,n,nj", X, weight, X)
    np.testing.assert_allclose(DenseDesign(X).gram(weight), gram, atol=1e-14)
