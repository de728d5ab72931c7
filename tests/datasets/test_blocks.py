"""Files read in blocks against the same files read at once."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelfield import BinaryRelevance
from labelfield._exceptions import DataFormatError
from labelfield.datasets import open_blocks, read_svmlight


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(50, 4)) * (rng.random((50, 4)) < 0.7), 3)
    return X, (X[:, :3] + rng.normal(size=(50, 3)) > 0.3).astype(np.uint8)


def svmlight_lines(X, Y, start):
    for x, y in zip(X, Y):
        labels = ",".join(map(str, np.flatnonzero(y)))
        yield " ".join([labels, *(f"{j + start}:{x[j]}" for j in np.flatnonzero(x))])


def whole(blocks):
    parts = list(blocks)
    stack = sp.vstack if sp.issparse(parts[0][0]) else np.concatenate
    return [stack([part[k] for part in parts]) for k in (0, 1)]


@pytest.mark.parametrize("header", [False, True])
def test_svmlight_files(data, tmp_path, header):
    X, Y = data
    path = tmp_path / "toy.svm"
    lines = list(svmlight_lines(X, Y, start=0 if header else 1))
    path.write_text("\n".join([*(["50 4 3"] if header else []), *lines]) + "\n")
    blocks = open_blocks(path, block_rows=7)
    for _ in range(2):
        features, labels = whole(blocks)
        np.testing.assert_array_equal(features.toarray(), X)
        np.testing.assert_array_equal(labels.toarray(), Y)
    at_once = read_svmlight(path)
    wanted = BinaryRelevance(alpha=1.0, tol=1e-10).fit(at_once.X, at_once.Y)
    model = BinaryRelevance(alpha=1.0, tol=1e-10).fit(blocks)
    np.testing.assert_allclose(model.coef_, wanted.coef_, atol=1e-8)
    assert model.label_names_.tolist() == ["0", "1", "2"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_tables(data, tmp_path, ending):
    X, Y = data
    path = tmp_path / f"toy.{ending}"
    names = ["a", "sun", "b", "c", "sea", "d", "sky"]
    columns = np.column_stack([X[:, 0], Y[:, 0], X[:, 1], X[:, 2], Y[:, 1], X[:, 3], Y[:, 2]])
    if ending == "csv":
        lines = [",".join(names), *(",".join(map(str, row)) for row in columns)]
        path.write_text("\n".join(lines))
    else:
        pyarrow = pytest.importorskip("pyarrow", reason="Parquet files need pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table(dict(zip(names, columns.T))), path, row_group_size=20)
    blocks = open_blocks(path, labels=["sun", "sea", "sky"], block_rows=8)
    features, labels = whole(blocks)
    np.testing.assert_array_equal(features, X)
    np.testing.assert_array_equal(labels, Y)
    assert BinaryRelevance(alpha=1.0).fit(blocks).label_names_.tolist() == ["sun", "sea", "sky"]
    with pytest.raises(ValueError, match="no column 'moon'"):
        open_blocks(path, labels=["moon"])
    with pytest.raises(ValueError, match="name its label columns"):
        open_blocks(path)


def test_bad_files_say_where(tmp_path):
    path = tmp_path / "toy.svm"
    path.write_text("0,1 1:2\n5 1:1\n")
    with pytest.raises(DataFormatError, match="label 5 is not one of the 2 declared"):
        BinaryRelevance().fit(open_blocks(path, n_labels=2, n_features=1))
    path.write_text("0,1 1:2\n1 1:x\n")
    with pytest.raises(DataFormatError, match="lines 1 to 2"):
        open_blocks(path)
    table = tmp_path / "toy.csv"
    table.write_text("a,b\n1,0\nx,1\n")
    with pytest.raises(DataFormatError, match="lines 2 to 3"):
        BinaryRelevance().fit(open_blocks(table, labels=["b"]))
    with pytest.raises(ValueError, match="is packed"):
        open_blocks(tmp_path / "toy.csv.gz")
    with pytest.raises(FileNotFoundError, match="no file"):
        open_blocks(tmp_path / "none.svm")
    with pytest.raises(ValueError, match="block_rows"):
        open_blocks(path, block_rows=0)


def test_a_file_that_changes_between_passes_is_refused(data, tmp_path):
    X, Y = data
    path = tmp_path / "toy.svm"
    path.write_text("\n".join(svmlight_lines(X, Y, start=1)))
    blocks = open_blocks(path, block_rows=9)
    read, n_passes = blocks.read, []

    def spoil():
        n_passes.append(1)
        if len(n_passes) == 3:
            path.write_text(path.read_text().replace(":-", ":", 1))
        return read()

    blocks.read = spoil
    with pytest.raises(ValueError, match="changed between two passes"):
        BinaryRelevance(alpha=1.0).fit(blocks)
