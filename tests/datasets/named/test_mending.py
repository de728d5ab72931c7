"""Known faults of public files: found where they are, put right, and nothing else touched."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from labelfield.datasets import Dataset, load_dataset
from labelfield.datasets.named.mending import FIRST_SHIFTED_ROW, SHIFTED, mended

D, L, N = 20, 15, FIRST_SHIFTED_ROW + 40
ROOT = Path(os.environ.get("LABELFIELD_DATA", "not set"))


def sound(name):
    rng = np.random.default_rng(0)
    X = sparse.random(N, D, density=0.2, format="csr", random_state=0)
    X = X.tolil()
    X[FIRST_SHIFTED_ROW:, -SHIFTED[name] :] = 0.0  # the second file ends before these columns
    Y = (rng.random((N, L)) < 0.3).astype(np.uint8)
    names = tuple(f"x{j}" for j in range(D)), tuple(f"y{j}" for j in range(L))
    return Dataset(sparse.csr_matrix(X), Y, *names, name=name)


def shifted(data):
    """The data as the file has them: late labels follow the shorter features at once."""
    shift = SHIFTED[data.name]
    table = np.hstack([data.X.toarray(), data.Y])
    for i in range(FIRST_SHIFTED_ROW, N):
        row = np.concatenate([data.X[i].toarray()[0, : D - shift], data.Y[i], np.zeros(shift)])
        table[i] = row
    return replace(data, X=sparse.csr_matrix(table[:, :D]), Y=table[:, D:].astype(np.uint8))


@pytest.mark.parametrize("name", SHIFTED)
def test_shifted_labels_are_put_right(name):
    data = sound(name)
    answer = mended(shifted(data))
    np.testing.assert_array_equal(answer.X.toarray(), data.X.toarray())
    np.testing.assert_array_equal(answer.Y, data.Y)
    assert answer.Y.dtype == np.uint8
    assert "put right" in answer.description


@pytest.mark.parametrize("name", SHIFTED)
def test_sound_files_stay_as_they_are(name):
    data = sound(name)
    assert mended(data) is data
    again = mended(shifted(data))
    assert mended(again) is again


def test_other_names_and_other_files_stay_as_they_are():
    data = shifted(sound("rcv1subset1"))
    for other in (
        replace(data, name="rcv1subset3"),
        replace(data, X=data.X.toarray()),
        replace(data, X=data.X[:100], Y=data.Y[:100]),
        replace(data, X=data.X * 0.5),
    ):
        assert mended(other) is other


@pytest.mark.data
@pytest.mark.skipif(not ROOT.is_dir(), reason="LABELFIELD_DATA names no folder")
@pytest.mark.parametrize("name", SHIFTED)
def test_real_files_are_whole_again(name, monkeypatch):
    monkeypatch.setenv("LABELFIELD_DATA", str(ROOT))
    if not (ROOT / name).is_dir():
        pytest.skip(f"{name} is not in the data folder")
    data = load_dataset(name, fetch=False)
    np.testing.assert_allclose(sparse.linalg.norm(data.X, axis=1), 1.0, atol=1e-5)
    early, late = data.Y[:FIRST_SHIFTED_ROW].sum(axis=0), data.Y[FIRST_SHIFTED_ROW:].sum(axis=0)
    assert np.corrcoef(early, late)[0, 1] > 0.99
