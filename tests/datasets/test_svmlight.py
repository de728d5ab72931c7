"""Multi-label svmlight files: round trips, sizes, and faults with their lines."""

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

from labelfield._exceptions import DataFormatError
from labelfield.datasets import make_multilabel, read_svmlight, svmlight


def write(tmp_path, text):
    path = tmp_path / "toy.svm"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("zero_based", [True, False])
def test_round_trip_through_scikit_learn(tmp_path, zero_based):
    data = make_multilabel(40, 8, 3, density=0.3, random_state=0)
    path = tmp_path / "toy.svm"
    dump_svmlight_file(data.X, data.Y, str(path), zero_based=zero_based, multilabel=True)
    back = read_svmlight(path, n_features=8, n_labels=3, zero_based=zero_based)
    np.testing.assert_allclose(back.X.toarray(), data.X.toarray())
    np.testing.assert_array_equal(back.Y, data.Y)
    path.write_bytes(gzip.compress(path.read_bytes()))
    np.testing.assert_array_equal(
        read_svmlight(path, n_features=8, n_labels=3, zero_based=zero_based).Y, data.Y
    )


def test_labels_are_the_numbers_that_occur(tmp_path):
    data = read_svmlight(write(tmp_path, "7,2 1:1 # note\n\n 2:3\n2 3:0.5\n"))
    assert data.label_names == ("2", "7")
    np.testing.assert_array_equal(data.Y, [[1, 1], [0, 0], [1, 0]])
    np.testing.assert_array_equal(data.X.toarray(), [[1, 0, 0], [0, 3, 0], [0, 0, 0.5]])


def test_announced_sizes_are_used(tmp_path):
    data = read_svmlight(write(tmp_path, "2 5 4\n0,3 0:1\n1 2:1\n"))
    assert data.X.shape == (2, 5)
    np.testing.assert_array_equal(data.Y, [[1, 0, 0, 1], [0, 1, 0, 0]])


BROKEN = {
    "value": ("1 1:1\n2 1:x\n", 2, "could not convert"),
    "order": ("1 1:1\n\n2 3:1 2:1\n", 3, "sorted and unique"),
    "giant index": ("1 1:1\n2 99999999999999999999:1\n", 2, "too large"),
    "index beyond memory": ("1 1:1\n2 2000000000:1\n", 2, "beyond 4194304"),
    "infinite value": ("# c\n1 1:1\n2 1:inf\n", 3, "not a finite number"),
    "underscore": ("1 1:1\n2 1:1_0\n", 2, "'_' is not part"),
    "negative label": ("1 1:1\n-2 1:1\n", 2, "label -2 is not a whole number"),
    "fractional label": ("1.5 1:1\n", 1, "label 1.5 is not"),
    "too few rows": ("3 5 4\n0 1:1\n", 1, "3 rows are announced, 1 follow"),
    "feature beyond the announced": ("2 5 4\n0 1:1\n0 5:1\n", 3, "index 5 is beyond 4"),
    "label beyond the announced": ("1 5 4\n4 1:1\n", 2, "label 4 is not a whole number below 4"),
    "too many features announced": ("1 9999999999 4\n1 1:1\n", 1, "there may be 1 to 4194304"),
    "too many labels announced": ("1 5 9999999999\n1 1:1\n", 1, "there may be 1 to"),
    "2e9 labels for one row": ("1 5 2000000000\n1 1:1\n", 1, "there may be 1 to"),
    "query number": ("1 1:1\n2 qid:7 1:1\n", 2, "qid: groups rows into queries"),
    "empty": ("", 1, "empty"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_broken_file_is_refused_with_file_and_line(tmp_path, fault):
    text, line, message = BROKEN[fault]
    with pytest.raises(DataFormatError, match=rf"toy\.svm, line {line}: .*{message}"):
        read_svmlight(write(tmp_path, text))


def test_zero_index_where_indices_start_at_one(tmp_path):
    with pytest.raises(DataFormatError, match="line 2: feature index 0 where indices start at 1"):
        read_svmlight(write(tmp_path, "1 1:1\n1 0:1\n"), zero_based=False)


def test_features_are_named_by_their_numbers_in_the_file(tmp_path):
    one = read_svmlight(write(tmp_path, "1 1:1 3:0\n# qid:3\n"))
    assert one.feature_names == ("x1", "x2", "x3")
    assert one.X.nnz == 1
    assert read_svmlight(write(tmp_path, "1 0:1 2:1\n")).feature_names == ("x0", "x1", "x2")


def test_labels_beyond_the_given_number(tmp_path):
    with pytest.raises(DataFormatError, match="line 1: label 9 is not a whole number below 3"):
        read_svmlight(write(tmp_path, "9 1:1\n"), n_labels=3)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_damaged_file_is_read_or_refused(tmp_path, data):
    raw = bytearray(b"1,4 1:0.5 3:2\n4 2:1\n2 1:1e-3 2:5\n")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        piece = data.draw(st.lists(st.sampled_from(b"0159,:#. \n-+eqid\x00\xff_nif"), max_size=2))
        raw[at : at + data.draw(st.integers(0, 2))] = bytes(piece)
    path = write(tmp_path, bytes(raw))
    try:
        read = read_svmlight(path)
    except DataFormatError as error:
        message = str(error)
    else:
        message = "toy.svm, line 0"
        assert np.isfinite(read.X.data).all()
        assert set(np.unique(read.Y)) <= {0, 1}
    assert "toy.svm, line " in message


def test_size_limit_is_checked_before_memory_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(svmlight, "MAX_LABEL_CELLS", 3)
    with pytest.raises(DataFormatError, match="2 rows of 2 labels"):
        read_svmlight(write(tmp_path, "1 1:1\n2 1:1\n"))
