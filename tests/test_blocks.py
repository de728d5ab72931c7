"""Fits to blocks that are read again and again: the answers of all rows at once."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

import row_blocks
from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    ClassifierChain,
    LabelPowerset,
    MLkNN,
    ProbabilisticClassifierChain,
)
from labelfield.datasets import RowBlocks, make_multilabel
from labelfield.learners.rows import StreamRows, memory
from row_blocks import KilledError, dying, fit_with_kills

MODELS = [BinaryRelevance, ClassifierChain, LabelPowerset, ProbabilisticClassifierChain]


@pytest.fixture
def data():
    made = make_multilabel(n_samples=150, n_features=6, n_labels=3, random_state=0)
    X = np.column_stack([made.X, np.full(150, 2.0)])
    return X, np.asarray(made.Y), np.random.default_rng(0).integers(0, 3, 150).astype(float)


cut = partial(row_blocks.cut, size=40)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("alpha", [1.0, "auto"])
def test_blocks_give_the_answer_of_all_rows(data, model, alpha):
    X, Y, weight = data
    whole = model(alpha=alpha, tol=1e-10).fit(X, Y, weight)
    parts = model(alpha=alpha, tol=1e-10).fit(cut(data))
    assert parts.alpha_ == pytest.approx(whole.alpha_, rel=1e-9)
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-8)
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))
    assert parts.classes_.tolist() == whole.classes_.tolist()


@pytest.mark.parametrize("model", MODELS)
def test_equal_blocks_give_equal_bits(data, model, monkeypatch):
    monkeypatch.setattr(memory, "rows_of_block", lambda *sizes: 40)
    monkeypatch.setattr("labelfield.learners.rows.stream.rows_of_block", lambda *sizes: 40)
    X, Y, _ = data
    whole = model(alpha=1.0).fit(X, Y)
    for blocks in (cut((X, Y)), cut((X, Y), size=150), cut((X, Y), size=80)):
        parts = model(alpha=1.0).fit(blocks)
        np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))


def test_sparse_blocks_and_threads(data):
    X, Y, _ = data
    X = X * (np.abs(X) > 0.8)
    whole = BinaryRelevance(alpha=1.0, tol=1e-10).fit(sp.csr_matrix(X), sp.csr_matrix(Y))
    blocks = cut((X, Y), convert=sp.csr_matrix)
    parts = BinaryRelevance(alpha=1.0, tol=1e-10, n_jobs=2).fit(blocks)
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-8)
    assert sp.issparse(parts.predict(X))


def test_memory_maps_are_read_as_arrays(data, tmp_path):
    X, Y, _ = data
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = BinaryRelevance(alpha=1.0).fit(mapped, Y)
    np.testing.assert_array_equal(model.coef_, BinaryRelevance(alpha=1.0).fit(X, Y).coef_)


class Changing:
    """Blocks of which one changes before the third pass."""

    def __init__(self, blocks, change):
        self.blocks, self.change, self.n_passes = blocks, change, 0

    def __iter__(self):
        self.n_passes += 1
        return iter(self.change(self.blocks) if self.n_passes > 2 else self.blocks)


def shifted(blocks):
    return [(X + 1e-9 * (k == 1), Y) for k, (X, Y) in enumerate(blocks)]


@pytest.mark.parametrize(
    "change", [shifted, lambda b: b[:-1], lambda b: [*b, b[0]], lambda b: b[::-1]]
)
def test_data_that_change_between_passes_are_refused(data, change):
    blocks = Changing(cut(data[:2]), change)
    with pytest.raises(ValueError, match="changed between two passes"):
        BinaryRelevance(alpha=1.0).fit(blocks)


def test_what_cannot_be_fitted_in_blocks_says_so(data):
    X, Y, weight = data
    blocks = cut((X, Y))
    for wrong, message in [
        (iter(blocks), "can be read only once"),
        ((block for block in blocks), "can be read only once"),
        ([*blocks, (X[:, :3], Y)], "Block 4 has dense X of 3 columns .* the first one has"),
        ([*blocks, (X, Y[:, :2])], "Block 4 has .* 2 labels"),
        ([*blocks, (X[:9], Y[:8])], "of block 4 have 9, 8"),
        ([(X, Y, weight), (X, Y)], "Block 1 has no weights"),
        ([(X, Y, -weight)], "not negative"),
        ([(X, Y, 0 * weight)], "weights are 0 in every row"),
        (RowBlocks(list), "There are no blocks"),
        ([(X * np.nan, Y)], "X of block 0 holds NaN"),
        ([(X, Y + 1)], "Y of block 0 holds 2"),
        ([(X, Y * np.nan)], "unknown labels"),
        ([(X,)], "Block 0 is tuple"),
    ]:
        with pytest.raises(ValueError, match=message):
            BinaryRelevance(alpha=1.0).fit(wrong)
    with pytest.raises(ValueError, match="MLkNN cannot .* BinaryRelevance"):
        MLkNN().fit(blocks)
    with pytest.raises(ValueError, match="learns on held-out rows"):
        BinaryRelevance(decoder="threshold_f1_macro").fit(blocks)


def test_what_is_fitted_to_blocks_is_calibrated_on_rows_in_memory(data):
    X, Y, _ = data
    base = BinaryRelevance(alpha=1.0, tol=1e-10)
    kept = {"cv": "prefit", "calibrator": "sigmoid"}
    whole = CalibratedSetClassifier(base.fit(X[:90], Y[:90]), **kept).fit(X[90:], Y[90:])
    wanted = whole.predict_confidence(X)
    base = BinaryRelevance(alpha=1.0, tol=1e-10).fit(cut((X[:90], Y[:90])))
    parts = CalibratedSetClassifier(base, **kept).fit(X[90:], Y[90:])
    np.testing.assert_allclose(parts.predict_confidence(X), wanted, atol=1e-7)


@pytest.mark.parametrize("alpha", [1.0, "auto"])
@pytest.mark.parametrize("model", [BinaryRelevance, LabelPowerset])
def test_a_killed_fit_goes_on_and_ends_equal(data, tmp_path, monkeypatch, model, alpha):
    monkeypatch.setattr(StreamRows, "columns_at_once", lambda rows: 1)
    blocks = cut(data[:2])
    wanted, found = model(alpha=alpha).fit(blocks), model(alpha=alpha)
    needed, passes = fit_with_kills(found, blocks, tmp_path / "state")
    assert passes < needed
    np.testing.assert_array_equal(found.predict_proba(data[0]), wanted.predict_proba(data[0]))
    assert found.alpha_ == wanted.alpha_


def test_a_checkpoint_of_something_else_is_refused(data, tmp_path):
    X, Y, _ = data
    with pytest.raises(KilledError):
        BinaryRelevance(alpha=1.0).fit(dying(cut((X, Y)), 9, tmp_path)[0])
    with pytest.raises(ValueError, match="other data or with other arguments"):
        BinaryRelevance(alpha=2.0).fit(dying(cut((X, Y)), 99, tmp_path)[0])
    with pytest.raises(ValueError, match="other data or with other arguments"):
        BinaryRelevance(alpha=1.0).fit(dying(cut((2 * X, Y)), 99, tmp_path)[0])
    next(tmp_path.iterdir()).write_bytes(b"nonsense")
    with pytest.raises(ValueError, match="is no checkpoint"):
        BinaryRelevance(alpha=1.0).fit(dying(cut((X, Y)), 99, tmp_path)[0])


def test_passes_are_told(data, caplog):
    caplog.set_level("INFO", logger="labelfield")
    BinaryRelevance(alpha=1.0).fit(cut(data))
    assert "pass 3 over 150 rows" in caplog.text
    assert "s left" in caplog.text
