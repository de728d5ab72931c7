"""What is known from elsewhere about which labels belong together."""

import gzip
from pathlib import Path

import numpy as np
import scipy.sparse as sp

__all__ = ["LabelRelatedness"]

DIAGONALS = ("zero", "keep")


class LabelRelatedness:
    """A symmetric matrix of label relatedness, for `ConditionalRBM(relatedness=...)`.

    Parameters
    ----------
    matrix : (L, L) array
        Symmetric, finite; entry (l, m) says how much labels l and m belong together.
    diagonal : {"zero", "keep"}, default="zero"
        The diagonal rewards every present label alike, which only offsets the model's `sparsity`;
        so it is set to zero unless kept.

    Attributes
    ----------
    matrix : (L, L) array

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import LabelRelatedness
    >>> elsewhere = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 0]])
    >>> LabelRelatedness.from_labels(elsewhere).matrix.round(2).tolist()
    [[0.0, 0.4, 0.0], [0.4, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """

    def __init__(self, matrix, *, diagonal="zero"):
        self.matrix = np.array(matrix, dtype=float)
        self.diagonal = diagonal
        if self.matrix.ndim != 2 or self.matrix.shape[0] != self.matrix.shape[1]:
            raise ValueError(f"matrix must have shape (L, L); got {self.matrix.shape}.")
        if not np.isfinite(self.matrix).all():
            raise ValueError("matrix must be finite; it contains NaN or infinity.")
        if not np.allclose(self.matrix, self.matrix.T):
            row, column = np.argwhere(~np.isclose(self.matrix, self.matrix.T))[0]
            raise ValueError(
                f"matrix must be symmetric; entries ({row}, {column}) and ({column}, {row}) are "
                f"{self.matrix[row, column]:g} and {self.matrix[column, row]:g}. "
                "Take (matrix + matrix.T) / 2."
            )
        if diagonal not in DIAGONALS:
            raise ValueError(f"diagonal must be one of {', '.join(DIAGONALS)}; got {diagonal!r}.")
        if diagonal == "zero":
            np.fill_diagonal(self.matrix, 0.0)

    def __repr__(self):
        return f"LabelRelatedness(n_labels={len(self.matrix)}, diagonal={self.diagonal!r})"

    @classmethod
    def from_labels(cls, Y, *, names=None, among=None, diagonal="zero"):
        """Count how often labels occur together in other data: n_lm / (n_l + n_m).

        Parameters
        ----------
        Y : (n, M) array or sparse matrix of 0 and 1
        names, among : sequences of M and L str, optional
            The labels of Y and those wanted, matched by name without regard to case; a label that
            Y does not have is related to none. By default the columns of Y are the labels.
        diagonal : {"zero", "keep"}

        Returns
        -------
        LabelRelatedness
        """
        Y = sp.csr_matrix(Y, dtype=float)
        if not np.isin(Y.data, (0.0, 1.0)).all():
            raise ValueError("Y must contain 0 and 1 only; count only rows whose labels are known.")
        both = np.asarray((Y.T @ Y).todense())
        counts = np.diag(both)
        total = counts[:, None] + counts
        return cls(
            _matched(
                np.divide(both, total, out=np.zeros_like(both), where=total > 0), names, among
            ),
            diagonal=diagonal,
        )

    @classmethod
    def from_vectors(cls, vectors, *, names=None, among=None, diagonal="zero"):
        """Take the cosine of label vectors; a vector of zeros is related to none.

        Parameters
        ----------
        vectors : (M, m) array or sparse matrix
            A vector for each label, such as a word vector of its name.
        names, among : sequences of M and L str, optional
            As in `from_labels`.
        diagonal : {"zero", "keep"}

        Returns
        -------
        LabelRelatedness
        """
        vectors = sp.csr_matrix(vectors, dtype=float)
        lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
        scaled = sp.diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ vectors
        cosine = np.asarray((scaled @ scaled.T).todense())
        return cls(_matched(cosine, names, among), diagonal=diagonal)

    @classmethod
    def from_word_vectors(cls, path, among, *, diagonal="zero"):
        """Read word vectors of the label names from a GloVe text file; take their cosine.

        A name of several words gets the mean of their vectors; a name without any is related to
        none.

        Parameters
        ----------
        path : str or Path
            A word and its numbers on each line, separated by spaces; may be gzipped.
        among : sequence of L str
            The label names.
        diagonal : {"zero", "keep"}

        Returns
        -------
        LabelRelatedness
        """
        words = [_words(name) for name in among]
        known = _read_vectors(path, set().union(*words))
        if not known:
            raise ValueError(f"{path} has no vector for any of the {len(words)} label names.")
        size = len(next(iter(known.values())))
        vectors = np.zeros((len(words), size))
        for row, parts in enumerate(words):
            found = [known[word] for word in parts if word in known]
            if found:
                vectors[row] = np.mean(found, axis=0)
        return cls.from_vectors(vectors, diagonal=diagonal)

    @classmethod
    def from_text(cls, descriptions, *, diagonal="zero"):
        """Take the cosine of tf-idf vectors of the labels' descriptions.

        Parameters
        ----------
        descriptions : sequence of L str
            A text about each label, in the order of the labels.
        diagonal : {"zero", "keep"}

        Returns
        -------
        LabelRelatedness
        """
        from sklearn.feature_extraction.text import TfidfVectorizer

        return cls.from_vectors(TfidfVectorizer().fit_transform(descriptions), diagonal=diagonal)


def _matched(matrix, names, among):
    """Return the entries of a matrix over `names` for the labels `among`, zero where unknown."""
    if among is None:
        return matrix
    if names is None or len(names) != len(matrix):
        raise ValueError(
            f"names must list the {len(matrix)} labels of the other source to find those of among; "
            f"got {'none' if names is None else len(names)}."
        )
    position = {str(name).lower(): index for index, name in enumerate(names)}
    where = np.array([position.get(str(name).lower(), -1) for name in among])
    found = where >= 0
    if not found.any():
        raise ValueError("names and among have no label in common.")
    return np.where(found[:, None] & found, matrix[np.ix_(where, where)], 0.0)


def _words(name):
    return set("".join(c if c.isalnum() else " " for c in str(name).lower()).split())


def _read_vectors(path, wanted):
    path = Path(path)
    open_text = gzip.open if path.suffix == ".gz" else open
    vectors = {}
    with open_text(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            word, _, numbers = line.partition(" ")
            if word in wanted:
                vectors[word] = np.array(numbers.split(), dtype=float)
    return vectors
