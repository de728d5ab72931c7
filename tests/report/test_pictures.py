"""Arrays become PNG files that another reader understands."""

import io
from base64 import b64decode

import numpy as np
import pytest

from labelfield.report.pictures import data_uri


def read_back(uri):
    image = pytest.importorskip("PIL.Image", reason="needs Pillow to read the PNG back")
    return np.asarray(image.open(io.BytesIO(b64decode(uri.partition(",")[2]))))


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 3), (2, 7, 4)])
def test_bytes_come_back(shape):
    picture = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    np.testing.assert_array_equal(read_back(data_uri(picture)), picture)


def test_floats_and_bools_span_black_to_white():
    np.testing.assert_array_equal(read_back(data_uri([[0.0, 0.2, 1.0]])), [[0, 51, 255]])
    np.testing.assert_array_equal(read_back(data_uri(np.array([[True, False]]))), [[255, 0]])


def test_text():
    assert data_uri("data:image/gif;base64,xx") == "data:image/gif;base64,xx"
    uri = data_uri("<svg></svg>")
    assert uri.startswith("data:image/svg+xml;base64,")
    assert b64decode(uri.partition(",")[2]) == b"<svg></svg>"


@pytest.mark.parametrize(
    ("picture", "message"),
    [
        ([[1.5]], "floats in"),
        ([[300]], "0..255"),
        ([1.0, 0.0], "shape"),
        (np.zeros((2, 2, 5)), "shape"),
        (np.zeros((0, 2)), "shape"),
        ("javascript:alert(1)", "javascript"),
        ([[np.nan]], "floats in"),
    ],
)
def test_what_is_no_picture_is_refused(picture, message):
    with pytest.raises(ValueError, match=message):
        data_uri(picture)
