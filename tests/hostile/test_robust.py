"""Nothing crashes the process, changes the caller's data, or depends on other threads."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from hostile.cases import MODELS, X, Y, clean_answer, clean_model
from hostile.odd_sparse import CSR, doubled, unsorted

every_model = pytest.mark.parametrize("id", MODELS)

CRASHES = """
import numpy as np, scipy.sparse as sp
from labelfield import BinaryRelevance, InstanceBasedLogistic, LabelPowerset, MLkNN

far = sp.csr_matrix((np.ones(6), np.full(6, 10**8), np.arange(7)), shape=(6, 3))
falling = sp.csr_matrix((6, 3))
falling.indptr = np.array([0, 10**8, 0, 10**8, 0, 10**8, 0])
X, Y = np.arange(18.0).reshape(6, 3) % 5, np.arange(12).reshape(6, 2) % 5 % 2
for model in (BinaryRelevance(), LabelPowerset(alpha=1.0), MLkNN(), InstanceBasedLogistic()):
    for damaged in (far, falling):
        for call in (lambda: model.fit(damaged, Y), lambda: model.fit(X, Y).predict(damaged)):
            try:
                call()
            except ValueError as error:
                assert "X is a damaged csr matrix" in str(error)
            else:
                raise SystemExit(f"{model} took a damaged matrix")
"""


def test_damaged_matrices_do_not_kill_the_process():
    done = subprocess.run([sys.executable, "-c", CRASHES], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@every_model
@pytest.mark.parametrize("make", [lambda: doubled(CSR), unsorted], ids=["duplicates", "unsorted"])
def test_the_matrix_of_the_caller_stays_as_it_is(id, make):
    matrix = make()
    before = [getattr(matrix, name).copy() for name in ("data", "indices", "indptr")]
    clone(MODELS[id]).fit(matrix, Y).predict(matrix)
    for name, array in zip(("data", "indices", "indptr"), before):
        np.testing.assert_array_equal(getattr(matrix, name), array)


@every_model
def test_a_refused_fit_leaves_the_model_as_it_was(id):
    model = pickle.loads(pickle.dumps(clean_model(id)))
    for features, labels in ((X[:, :2], Y + 1), (X[:, :2], Y[:9]), (X * np.nan, Y)):
        with pytest.raises(ValueError, match="Y holds 2|inconsistent|contains NaN"):
            model.fit(features, labels)
    np.testing.assert_array_equal(model.predict_proba(X), clean_answer(id))


@every_model
def test_threads_get_the_answers_of_one(id):
    parts = np.array_split(np.arange(len(X)), 6)
    with ThreadPoolExecutor(4) as pool:
        fitted = list(pool.map(lambda _: clone(MODELS[id]).fit(X, Y), range(6)))
        together = list(pool.map(lambda rows: clean_model(id).predict_proba(X[rows]), parts))
        alone = [model.predict_proba(X) for model in fitted]
    for answer in alone:
        np.testing.assert_allclose(answer, clean_answer(id), atol=1e-9)
    np.testing.assert_allclose(np.concatenate(together), clean_answer(id), atol=1e-9)


DEGENERATE = {
    "no label at all": (X, 0 * Y),
    "every label everywhere": (X, 0 * Y + 1),
    "one label three times": (X, Y[:, [0, 0, 0]]),
    "features of zeros": (0 * X, Y),
    "sparse features without an entry": (sp.csr_matrix(X.shape), Y),
    "one row sixty times": (X[[0] * 60], Y),
    "a constant column of 1e8": (np.column_stack([X, np.full(60, 1e8)]), Y),
    "more columns than rows": (np.tile(X[:10], (1, 9)), Y[:10]),
    "one column": (X[:, :1], Y),
    "six rows": (X[:6], Y[:6]),
}


@every_model
@pytest.mark.parametrize(("features", "labels"), DEGENERATE.values(), ids=list(DEGENERATE))
def test_degenerate_data_give_probabilities(id, features, labels):
    model = clone(MODELS[id]).fit(features, labels)
    p = model.predict_proba(features)
    assert p.shape == labels.shape
    assert ((p >= 0.0) & (p <= 1.0)).all()
    assert np.isin(model.predict(features), (0, 1)).all()


@pytest.mark.parametrize("id", ["br", "lp", "pcc", "corrlog", "cbm"])
def test_one_row_is_enough(id):
    p = clone(MODELS[id]).fit(X[:1], Y[:1]).predict_proba(X)
    assert np.array_equal(p > 0.5, np.tile(Y[:1] == 1, (60, 1)))


@pytest.mark.parametrize("id", ["mlknn", "iblr", "calibrated"])
def test_one_row_is_too_few(id):
    with pytest.raises(ValueError, match="n_samples ?= ?1"):
        clone(MODELS[id]).fit(X[:1], Y[:1])
