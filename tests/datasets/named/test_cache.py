"""Fetched data sets on disk: whole, unchanged, without pickles."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

from labelfield._exceptions import DataFormatError
from labelfield.datasets import (
    Dataset,
    load_dataset,
    load_digit_scenes,
    make_multilabel,
)
from labelfield.datasets.named.cache import load_cached, store


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_cache_gives_back_what_was_stored(tmp_path, form):
    data = Dataset(
        form([[0.0, 1.5], [2.0, 0.0]]),
        np.array([[1], [0]], dtype=np.uint8),
        ("é", "b"),
        ("y",),
        "toy",
        "Some text.",
        {"b": ("x", "y")},
    )
    store(data, tmp_path / "deep" / "toy.npz")
    back = load_cached(tmp_path / "deep" / "toy.npz")
    assert type(back.X) is type(data.X)
    assert abs(back.X - data.X).max() == 0
    np.testing.assert_array_equal(back.Y, data.Y)
    assert (back.feature_names, back.label_names) == (("é", "b"), ("y",))
    assert (back.name, back.description, back.categories) == (
        "toy",
        "Some text.",
        {"b": ("x", "y")},
    )
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["toy.npz"]


def test_threads_on_one_cache_file_read_whole_data(tmp_path):
    path = tmp_path / "cache" / "toy.npz"
    data = load_digit_scenes(n_train=30, n_test=30)
    store(data, path)

    def write_and_read(_):
        for _ in range(3):
            store(data, path)
            np.testing.assert_array_equal(load_cached(path).X, data.X)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write_and_read, range(8)))
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("kept", [60, 0, 4, -30])
def test_damaged_cache_file_says_so(folders, kept):
    path = folders / "cache" / "scene.npz"
    store(load_digit_scenes(n_train=3, n_test=3), path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DataFormatError, match=r"scene\.npz: .* damaged .* delete the file"):
        load_dataset("scene")


@pytest.mark.parametrize("changed", ["X_data", "X_indices", "X_indptr", "X_shape", "Y", "about"])
def test_changed_cache_file_says_so(tmp_path, changed):
    path = tmp_path / "toy.npz"
    data = make_multilabel(20, density=0.5, random_state=0)
    store(data, path)
    with np.load(path) as parts:
        arrays = dict(parts)
    load_cached(path)
    new = arrays[changed] + 1 if changed != "about" else np.array(f"{arrays[changed]} ")
    np.savez(path, **arrays | {changed: new})
    with pytest.raises(DataFormatError, match="does not have the hash it was stored with"):
        load_cached(path)


def test_cache_refuses_pickles(folders):
    path = folders / "cache" / "scene.npz"
    path.parent.mkdir()
    np.savez(path, about=np.array([{"evil": print}], dtype=object))
    with pytest.raises(DataFormatError, match="damaged"):
        load_dataset("scene")
