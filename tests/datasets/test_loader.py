"""Data sets by name: the data folder, the cache, a recorded answer of OpenML."""

import gzip
import hashlib
import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import _openml as fetcher

from labelfield._exceptions import DataFormatError
from labelfield.datasets import (
    Dataset,
    list_datasets,
    load_dataset,
    load_digit_scenes,
    make_multilabel,
)
from labelfield.datasets._cache import load_cached, store
from labelfield.datasets.catalogue import CATALOGUE, CatalogueEntry

HEADER = "@relation r\n@attribute x real\n@attribute c {a,b}\n@attribute y {0,1}\n@data\n"
XML = '<labels><label name="y"/></labels>'


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """An empty data folder and an empty cache, whatever the user has set."""
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("LABELFIELD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LABELFIELD_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def put(folders):
    def put(file, text):
        path = folders / "data" / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if file.endswith(".gz") else text.encode())

    return put


def test_parts_and_their_union(put):
    put("Own/Own-TRAIN-sparse.arff.gz", HEADER + "1,b,0\n2,a,1\n")
    put("Own/own_test.arff", HEADER + "3,a,1\n")
    put("Own/own.XML", XML)
    assert load_dataset("own", "train").X[:, 0].tolist() == [1, 2]
    assert load_dataset("OWN", split="test").X[:, 0].tolist() == [3]
    whole = load_dataset("own")
    np.testing.assert_array_equal(whole.X, [[1, 1], [2, 0], [3, 0]])
    np.testing.assert_array_equal(whole.Y, [[0], [1], [1]])
    assert whole.name == "own"
    assert whole.categories == {"c": ("a", "b")}


def test_whole_file_comes_before_the_parts(put):
    put("own/own-train.arff", HEADER + "1,b,0\n")
    put("own/own-test.arff", HEADER + "3,a,1\n")
    put("own/own.arff", HEADER + "9,a,1\n")
    put("own/own.xml", XML)
    assert load_dataset("own").X[:, 0].tolist() == [9]
    assert load_dataset("own", "train").X[:, 0].tolist() == [1]


def test_sparse_and_dense_parts_join_as_sparse(put):
    put("own/own-train.arff", HEADER + "{0 4}\n")
    put("own/own-test.arff", HEADER + "3,b,1\n")
    put("own/own.xml", XML)
    X = load_dataset("own").X
    assert sparse.isspmatrix_csr(X)
    np.testing.assert_array_equal(X.toarray(), [[4, 0], [3, 1]])


@pytest.mark.parametrize(
    ("files", "split", "error", "message"),
    [
        ({"own.arff": "1,a,1\n"}, "train", ValueError, "has no train file"),
        ({"own-train.arff": "1,a,1\n"}, None, ValueError, "has no whole file"),
        ({"a.arff": "1,a,1\n", "b.arff": "1,a,1\n"}, None, DataFormatError, "both look like"),
    ],
)
def test_folder_without_the_part(put, files, split, error, message):
    put("own/own.xml", XML)
    for file, rows in files.items():
        put(f"own/{file}", HEADER + rows)
    with pytest.raises(error, match=message):
        load_dataset("own", split)


def test_parts_that_differ_and_two_label_files(put):
    put("own/own-train.arff", HEADER + "1,b,0\n")
    put("own/own-test.arff", HEADER.replace("{a,b}", "{b,a}") + "3,a,1\n")
    put("own/own.xml", XML)
    with pytest.raises(DataFormatError, match="declare different attributes"):
        load_dataset("own")
    put("own/more.xml", XML)
    with pytest.raises(DataFormatError, match="more.xml, own.xml lists the labels"):
        load_dataset("own")


@pytest.mark.parametrize("name", ["../own", "/etc/passwd", "a/b", "..", "", "a\\b", "a\0b", 3])
def test_names_that_could_be_paths(name):
    with pytest.raises(ValueError, match="A data set is named by"):
        load_dataset(name)


def test_unknown_names(put):
    put("private/x.arff", HEADER)
    with pytest.raises(ValueError, match="Did you mean scene"):
        load_dataset("scenes")
    with pytest.raises(ValueError, match="Did you mean private"):
        load_dataset("privat")
    with pytest.raises(ValueError, match="use labelfield.restore.load_mixed_table"):
        load_dataset("adult")
    with pytest.raises(ValueError, match="split must be"):
        load_dataset("scene", "valid")
    with pytest.raises(FileNotFoundError, match="fetch=False"):
        load_dataset("scene", fetch=False)
    with pytest.raises(FileNotFoundError, match="OpenML has no copy"):
        load_dataset("delicious")


def test_embedded_digits_need_no_folder(monkeypatch):
    monkeypatch.delenv("LABELFIELD_DATA")
    np.testing.assert_array_equal(
        load_dataset("digits", "test").X, load_digit_scenes(split="test").X
    )


def test_list_says_where_each_set_is(put, folders):
    put("private/x.arff", HEADER)
    put("scene/scene.arff", HEADER)
    put("crx/crx.data", "")
    store(load_digit_scenes(n_train=2, n_test=2), folders / "cache" / "yeast.npz")
    found = {row.name: row.found for row in list_datasets()}
    assert found["digits"] == "embedded"
    assert found["private"] == found["scene"] == found["crx"] == "folder"
    assert found["yeast"] == "cache"
    assert found["emotions"] == "OpenML"
    assert found["delicious"] == found["german"] == "missing"
    row = next(row for row in list_datasets() if row.name == "scene")
    assert row[2:] == ("multi-label", 2407, 294, 6)


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


ARFF = """@relation toy
@attribute size numeric
@attribute kind {alpha,beta}
@attribute amazed {FALSE,TRUE}
@attribute calm {FALSE,TRUE}
@data
1.5,beta,TRUE,FALSE
?,alpha,FALSE,FALSE
2.5,beta,TRUE,TRUE
"""


def recorded_openml(arff, number="7"):
    """Answers of OpenML's server for a data set of that number, by the end of the address."""
    columns = [
        ("size", "numeric", []),
        ("kind", "nominal", ["alpha", "beta"]),
        ("amazed", "nominal", ["FALSE", "TRUE"]),
        ("calm", "nominal", ["FALSE", "TRUE"]),
    ]
    features = [
        {
            "index": str(k),
            "name": name,
            "data_type": kind,
            "nominal_value": values,
            "is_target": str(k > 1).lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "1" if k == 0 else "0",
        }
        for k, (name, kind, values) in enumerate(columns)
    ]
    about = {
        "id": number,
        "name": "toy",
        "version": "1",
        "format": "ARFF",
        "licence": "Public",
        "status": "active",
        "description": "made for a test",
        "file_id": "70",
        "url": "https://www.openml.org/data/v1/download/70/toy.arff",
        "default_target_attribute": "amazed,calm",
        "md5_checksum": hashlib.md5(arff.encode()).hexdigest(),
    }
    qualities = [{"name": "NumberOfInstances", "value": "3.0"}]
    return {
        f"/data/{number}": json.dumps({"data_set_description": about}),
        f"/data/features/{number}": json.dumps({"data_features": {"feature": features}}),
        f"/data/qualities/{number}": json.dumps({"data_qualities": {"quality": qualities}}),
        "/toy.arff": arff,
    }


class Answer(io.BytesIO):
    def info(self):
        return {}


@pytest.fixture
def openml(monkeypatch):
    """Serve a recorded answer under the name of a catalogue entry; count the requests."""
    asked = []

    def serve(answers, entry):
        def urlopen(request, *_, **__):
            asked.append(request.full_url)
            for end, text in answers.items():
                if request.full_url.endswith(end):
                    return Answer(text.encode())
            raise URLError(f"no answer recorded for {request.full_url}")

        monkeypatch.setattr(fetcher, "urlopen", urlopen)
        monkeypatch.setitem(CATALOGUE, "emotions", entry)
        return asked

    return serve


def test_fetched_set_is_kept_in_the_cache(openml, folders):
    asked = openml(recorded_openml(ARFF), CatalogueEntry(3, 2, 2, "Nobody 2000", 7))
    data = load_dataset("emotions")
    np.testing.assert_array_equal(data.X, [[1.5, 1], [np.nan, 0], [2.5, 1]])
    np.testing.assert_array_equal(data.Y, [[1, 0], [0, 0], [1, 1]])
    assert data.Y.dtype == np.uint8
    assert data.feature_names == ("size", "kind")
    assert data.label_names == ("amazed", "calm")
    assert data.categories == {"kind": ("alpha", "beta")}
    assert "OpenML data set 7" in data.description
    n_requests = len(asked)
    assert n_requests > 0
    again = load_dataset("emotions")
    assert len(asked) == n_requests
    np.testing.assert_array_equal(again.X, data.X)
    assert again.categories == data.categories
    with pytest.raises(ValueError, match="has no train part"):
        load_dataset("emotions", "train")


def test_other_data_under_the_number_is_refused(openml, folders):
    openml(recorded_openml(ARFF), CatalogueEntry(593, 72, 6, "Trohidis", 7))
    with pytest.raises(DataFormatError, match="data set 7 is not emotions"):
        load_dataset("emotions")
    assert not (folders / "cache").exists()


def test_another_checksum_than_the_pinned_one_is_refused(openml, folders):
    known = hashlib.md5(ARFF.encode()).hexdigest()
    openml(recorded_openml(ARFF), CatalogueEntry(3, 2, 2, "Nobody 2000", 7, md5=known))
    load_dataset("emotions")
    (folders / "cache" / "emotions.npz").unlink()
    changed = ARFF.replace("2.5", "3.5")
    openml(recorded_openml(changed), CatalogueEntry(3, 2, 2, "Nobody 2000", 7, md5=known))
    with pytest.raises(DataFormatError, match="is not the emotions we know.*MD5"):
        load_dataset("emotions")
    assert not list((folders / "cache").iterdir())


def test_labels_that_are_not_binary_are_refused(openml):
    arff = ARFF.replace("{FALSE,TRUE}", "{FALSE,TRUE,MAYBE}")
    arff = arff.replace("TRUE,FALSE\n", "MAYBE,FALSE\n")
    openml(recorded_openml(arff), CatalogueEntry(3, 2, 2, "Nobody 2000", 7))
    with pytest.raises(DataFormatError, match="row 1: label 'amazed' is 'MAYBE'"):
        load_dataset("emotions")


SCIKIT_LEARN_RECORD = Path(fetcher.__file__).parent / "tests" / "data" / "openml" / "id_40589"


@pytest.mark.skipif(not SCIKIT_LEARN_RECORD.is_dir(), reason="scikit-learn came without its tests")
def test_answer_recorded_by_scikit_learn(openml):
    """The first 13 rows of the real emotions, as OpenML serves them under our number."""

    def recorded(file):
        return gzip.decompress((SCIKIT_LEARN_RECORD / file).read_bytes()).decode()

    arff = recorded("data-v1-dl-4644182.arff.gz")
    about = json.loads(recorded("api-v1-jd-40589.json.gz"))
    about["data_set_description"]["md5_checksum"] = hashlib.md5(arff.encode()).hexdigest()
    answers = {
        "/data/40589": json.dumps(about),
        "/data/features/40589": recorded("api-v1-jdf-40589.json.gz"),
        "/data/qualities/40589": recorded("api-v1-jdq-40589.json.gz"),
        "/emotions.arff": arff,
    }
    entry = CATALOGUE["emotions"]
    assert entry.openml_id == 40589
    assert (
        entry.md5
        == json.loads(recorded("api-v1-jd-40589.json.gz"))["data_set_description"]["md5_checksum"]
    )
    openml(answers, entry._replace(instances=13, md5=None))
    data = load_dataset("emotions")
    assert data.X.shape == (13, entry.features)
    assert data.Y.shape == (13, entry.labels)
    assert data.Y[0].tolist() == [0, 1, 1, 0, 0, 0]
    assert data.label_names[0] == "amazed.suprised"


@pytest.mark.filterwarnings("ignore:A network error occurred")
def test_no_network_is_explained(monkeypatch):
    def urlopen(*_, **__):
        raise URLError("no route to host")

    monkeypatch.setattr(fetcher, "urlopen", urlopen)
    monkeypatch.setattr(fetcher.time, "sleep", lambda _: None)
    with pytest.raises(ConnectionError, match="emotions .* no route to host.* LABELFIELD_DATA"):
        load_dataset("emotions")


REAL = Path(os.environ.get("LABELFIELD_DATA", "not set"))


@pytest.mark.data
@pytest.mark.skipif(not (REAL / "scene").is_dir(), reason="LABELFIELD_DATA names no data folder")
@pytest.mark.parametrize("name", ["scene", "yeast", "corel5k", "medical", "flags", "cal500"])
def test_real_sets_have_their_published_sizes(monkeypatch, name):
    monkeypatch.setenv("LABELFIELD_DATA", str(REAL))
    statistics = load_dataset(name).statistics()
    assert (statistics["instances"], statistics["features"], statistics["labels"]) == CATALOGUE[
        name
    ][:3]
