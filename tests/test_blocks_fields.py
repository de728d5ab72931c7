"""Fields on listed sets fitted to blocks: the answers of all rows at once."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelfield import BinaryRelevance, CorrelatedLogistic, PairwiseCRF
from labelfield.datasets import RowBlocks, make_multilabel
from labelfield.learners.rows import memory

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


def cut(data, size=60, convert=lambda X: X):
    ends = range(0, len(data[0]), size)
    return [tuple(convert(part[i : i + size]) for part in data) for i in ends]


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
        found = model.fit(cut((X, Y), size)).predict_proba(X)
        np.testing.assert_array_equal(found, whole)


def test_sparse_blocks(data):
    X, Y = data[0] * (np.abs(data[0]) > 0.8), data[1]
    model = PairwiseCRF(alpha=1.0, tol=1e-10)
    whole = model.fit(sp.csr_matrix(X), Y).predict_proba(X)
    parts = model.fit(cut((X, Y), convert=sp.csr_matrix)).predict_proba(X)
    np.testing.assert_allclose(parts, whole, atol=1e-8)


class KilledError(RuntimeError):
    """Stands for the end of the process."""


def test_a_killed_fit_goes_on_and_ends_equal(data, tmp_path):
    passes = []

    def read(last=np.inf):
        passes.append(1)
        if len(passes) > last:
            raise KilledError
        return iter(cut(data[:2]))

    model = PairwiseCRF(alpha=0.1)
    wanted = model.fit(RowBlocks(read)).predict_proba(data[0])
    needed = len(passes)
    for last in (needed // 2, needed // 2, np.inf):
        passes.clear()
        source = RowBlocks(lambda last=last: read(last), checkpoint=tmp_path / "state")
        try:
            model.fit(source)
        except KilledError:
            assert list((tmp_path / "state").iterdir())
    assert len(passes) < needed
    np.testing.assert_array_equal(model.predict_proba(data[0]), wanted)
    assert not list((tmp_path / "state").iterdir())


def test_what_cannot_be_fitted_in_blocks_says_what_to_change(data):
    for model, message in [
        (CorrelatedLogistic(objective="pseudo"), "choose objective='exact' or 'support'"),
        (CorrelatedLogistic(l1_ratio=0.5), "set l1_ratio=0"),
        (CorrelatedLogistic(alpha=0.0), "alpha above 0"),
        (PairwiseCRF(BinaryRelevance()), "leave out `estimator`"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.fit(cut(data))
