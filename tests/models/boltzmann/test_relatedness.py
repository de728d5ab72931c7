"""Label relatedness from counts, vectors, words and texts."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

from labelfield import LabelRelatedness


def test_counts_of_labels_that_occur_together():
    rng = np.random.default_rng(0)
    Y = (rng.random((50, 4)) < 0.4).astype(int)
    found = LabelRelatedness.from_labels(Y, diagonal="keep").matrix
    for a in range(4):
        for b in range(4):
            both = sum(row[a] and row[b] for row in Y)
            assert found[a, b] == pytest.approx(both / (Y[:, a].sum() + Y[:, b].sum()))
    np.testing.assert_array_equal(np.diag(found), 0.5)
    sparse = LabelRelatedness.from_labels(sp.csr_array(Y)).matrix
    np.testing.assert_allclose(sparse + 0.5 * np.eye(4), found)


def test_labels_are_matched_by_name():
    Y = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1]])
    names, among = ["Sky", "sea", "cat"], ["cat", "dog", "SEA", "sky"]
    whole = LabelRelatedness.from_labels(Y).matrix
    found = LabelRelatedness.from_labels(Y, names=names, among=among).matrix
    np.testing.assert_allclose(found[np.ix_([3, 2, 0], [3, 2, 0])], whole)
    assert not found[1].any()
    with pytest.raises(ValueError, match="no label in common"):
        LabelRelatedness.from_labels(Y, names=names, among=["a"])
    with pytest.raises(ValueError, match="names must list the 3 labels"):
        LabelRelatedness.from_labels(Y, among=among)


def test_labels_never_seen_are_related_to_none():
    found = LabelRelatedness.from_labels(np.array([[1, 0], [1, 0]]), diagonal="keep").matrix
    np.testing.assert_array_equal(found, [[0.5, 0.0], [0.0, 0.0]])


def test_cosine_of_vectors():
    vectors = np.array([[3.0, 4.0], [4.0, 3.0], [0.0, 0.0]])
    found = LabelRelatedness.from_vectors(vectors, diagonal="keep").matrix
    np.testing.assert_allclose(found, [[1.0, 0.96, 0.0], [0.96, 1.0, 0.0], [0.0, 0.0, 0.0]])


@pytest.mark.parametrize("packed", [False, True])
def test_word_vectors_of_label_names(tmp_path, packed):
    lines = "sky 1.0 0.0\nblue 0.0 1.0\ntree -1.0 0.0\n"
    path = tmp_path / ("words.txt.gz" if packed else "words.txt")
    path.write_bytes(gzip.compress(lines.encode()) if packed else lines.encode())
    found = LabelRelatedness.from_word_vectors(path, ["Blue_sky", "sky", "tree", "unheard"])
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = np.sqrt(0.5)
    expected[0, 2] = expected[2, 0] = -np.sqrt(0.5)
    expected[1, 2] = expected[2, 1] = -1.0
    np.testing.assert_allclose(found.matrix, expected, atol=1e-12)
    with pytest.raises(ValueError, match="no vector for any of the 1"):
        LabelRelatedness.from_word_vectors(path, ["unheard"])


def test_texts_that_share_words_are_related():
    found = LabelRelatedness.from_text(["red round fruit", "green round fruit", "fast car"]).matrix
    assert found[0, 1] > 0.3
    assert found[0, 2] == 0.0
    assert (np.diag(found) == 0.0).all()


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.zeros((2, 3)), r"shape \(L, L\)"),
        (np.zeros(4), r"shape \(L, L\)"),
        ([[0.0, 1.0], [0.5, 0.0]], r"\(0, 1\) and \(1, 0\) are 1 and 0.5"),
        ([[0.0, np.nan], [np.nan, 0.0]], "finite"),
    ],
)
def test_wrong_matrices_are_refused(matrix, words):
    with pytest.raises(ValueError, match=words):
        LabelRelatedness(matrix)
    with pytest.raises(ValueError, match="diagonal must be"):
        LabelRelatedness(np.eye(2), diagonal="one")


def test_counts_need_known_labels():
    with pytest.raises(ValueError, match="0 and 1"):
        LabelRelatedness.from_labels(np.array([[1.0, np.nan]]))
