"""Recorded answers of OpenML: checked, kept in the cache, refused where they are other data."""

import gzip
import hashlib
import io
import json
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from sklearn.datasets import _openml as fetcher

from labelfield._exceptions import DataFormatError
from labelfield.datasets import (
    load_dataset,
)
from labelfield.datasets.named.catalogue import CATALOGUE, CatalogueEntry

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
