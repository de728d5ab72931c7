"""The encoder of tables and text."""

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from labelfield._gate.validation import as_generator
from labelfield._parameters import choice, declare, whole
from labelfield.encode.columns import read_columns
from labelfield.encode.kinds import DROPPED, TOLD, guess_kinds
from labelfield.encode.parts import WIDE, BooleanPart, CategoryPart, DatePart, NumberPart
from labelfield.encode.text import TextPart

__all__ = ["TableEncoder"]

NAMES = ["array-like", None]


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode a table, or a list of texts, as numbers that any model takes.

    Each column is taken for what it seems to hold, or for what the arguments say:

    - numbers and dates are scaled to mean 0 and deviation 1 (dates as days since the first one,
      year, month, day of the week and hour); a missing value is 0 and, if training had some, marked
      in a column of its own;
    - booleans become 0 and 1;
    - categories become one column each, those in fewer than `min_df` rows one together;
    - text becomes TF-IDF of words and pairs of words (pairs of documents with half the weight);
      in short text marks such as "?" and emoji are words, and runs of 3 to 5 letters are added;
    - identifiers, and columns that never vary, are left out.

    `describe` tells what was done with each column. Nothing is learned from the labels, so that
    encoding inside or outside of folds differs little, but fit it on training rows only.

    Parameters
    ----------
    text, category, date, number, id, drop : list of column names or None
        Columns to be taken for this, whatever they look like; `id` and `drop` are left out.
    max_features : int, default 50000
        The most terms of each kind a text column gets, and the most categories of a column; the
        most frequent are kept.
    min_df : int, default 2
        Terms and categories in fewer rows are left out; where none would remain, all are kept.
    view : {"full", "dense", "both"}, default "full"
        What `transform` returns. "full": everything, a CSR matrix if there is text or there are
        many categories. "dense": an array in which text is reduced to `n_components` columns and
        only so many categories of a column are kept, for trees. "both": as "full", and `reduce`
        makes the dense view of it.
    letters : bool or "auto", default "auto"
        Whether text is also encoded by runs of letters, which know endings and misspelt words;
        without them documents are encoded and fitted several times faster. "auto": where text
        is short, up to 60 words in a cell on average.
    n_components : int, default 64
        Columns that the dense view has for each text column (truncated SVD).
    random_state : int, Generator, RandomState or None, default None
        Seed of the SVD.

    Attributes
    ----------
    columns_ : dict of str to str
        What each column was taken for: "number", "boolean", "category", "date", "text", or one of
        "id", "constant", "dropped", which are left out.
    n_features_in_ : int
        Number of columns; not set if X was a list of texts.
    feature_names_in_ : ndarray of str
        Names of the columns, if X has them.

    Examples
    --------
    >>> from labelfield import TableEncoder
    >>> rows = [[3.5, "red", "warm sea and sun"], [1.0, "blue", "deep snow"], [2.0, "red", "sun"]]
    >>> encoder = TableEncoder(category=["x1"], text=["x2"]).fit(rows)
    >>> encoder.columns_
    {'x0': 'number', 'x1': 'category', 'x2': 'text'}
    >>> encoder.get_feature_names_out()[:4].tolist()
    ['x0', 'x1=red', 'x1 is another', 'x2: sun']
    >>> encoder.transform([[2.0, "green", None]]).shape == encoder.transform(rows)[:1].shape
    True
    """

    _parameter_constraints = declare(
        "random_state",
        text=NAMES,
        category=NAMES,
        date=NAMES,
        number=NAMES,
        id=NAMES,
        drop=NAMES,
        max_features=[whole(1)],
        min_df=[whole(1)],
        letters=["boolean", choice("auto")],
        view=[choice("full", "dense", "both")],
        n_components=[whole(1)],
    )

    def __init__(
        self,
        *,
        text=None,
        category=None,
        date=None,
        number=None,
        id=None,
        drop=None,
        max_features=50_000,
        min_df=2,
        letters="auto",
        view="full",
        n_components=64,
        random_state=None,
    ):
        self.text = text
        self.category = category
        self.date = date
        self.number = number
        self.id = id
        self.drop = drop
        self.max_features = max_features
        self.min_df = min_df
        self.letters = letters
        self.view = view
        self.n_components = n_components
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def fit(self, X, y=None):
        """Learn how to encode a table.

        Parameters
        ----------
        X : data frame (pandas, polars, pyarrow), array or list of rows (n, d), or list of n texts
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Learn how to encode a table, and return it encoded; see `fit` and `transform`."""
        self._validate_params()
        columns = read_columns(X)
        guesses = guess_kinds(columns, {kind: getattr(self, kind) for kind in TOLD})
        validate_data(self, X, reset=True, skip_check_array=True)
        self.columns_ = {name: guess.kind for name, guess in guesses.items()}
        self._reasons = {name: guess.why for name, guess in guesses.items()}
        self.parts_ = {
            name: self._part(guess) for name, guess in guesses.items() if guess.kind not in DROPPED
        }
        used = [column for column in columns if column.name in self.parts_]
        blocks = [self.parts_[column.name].fit_transform(column) for column in used]
        wide = [block.shape[1] for block in blocks if sp.issparse(block)]
        self.sparse_ = sum(wide) > WIDE or "text" in self.columns_.values()
        reduced = blocks
        if self.view != "full":
            reduced = self._fit_reduce(blocks)
        return self._stacked(reduced) if self.view == "dense" else self._joined(blocks)

    def transform(self, X):
        """Encode a table with the columns of the one that was learned from.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        Z : ndarray or CSR matrix of shape (n, p)
        """
        check_is_fitted(self)
        columns = read_columns(X)
        self._compare_columns(X, columns)
        blocks = [
            self.parts_[column.name].transform(column)
            for column in columns
            if column.name in self.parts_
        ]
        if self.view != "dense":
            return self._joined(blocks)
        return self._stacked(part.reduce(b) for part, b in zip(self.parts_.values(), blocks))

    def reduce(self, Z):
        """Return the dense view of what `transform` gave.

        Parameters
        ----------
        Z : ndarray or CSR matrix of shape (n, p)

        Returns
        -------
        D : ndarray of shape (n, q)

        Examples
        --------
        >>> from labelfield import TableEncoder
        >>> texts = ["warm sea", "cold sea", "warm sun", "cold snow", "sun and sea"]
        >>> encoder = TableEncoder(view="both", n_components=2, random_state=0)
        >>> encoder.reduce(encoder.fit_transform(texts)).shape
        (5, 2)
        """
        check_is_fitted(self)
        if self.view != "both":
            raise ValueError(f"reduce needs an encoder with view='both'; this has {self.view!r}.")
        width = len(self.get_feature_names_out())
        if Z.shape[1] != width:
            raise ValueError(f"Z has {Z.shape[1]} columns; transform gives {width}.")
        ends = np.cumsum([0, *(len(part.names) for part in self.parts_.values())])
        blocks = [Z[:, start:end] for start, end in zip(ends, ends[1:])]
        return self._stacked(part.reduce(b) for part, b in zip(self.parts_.values(), blocks))

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns of `transform`.

        Parameters
        ----------
        input_features : sequence of str or None
            Must be the names that X had in fit.

        Returns
        -------
        names : ndarray of str objects, (p,)
            Such as "size", "size is missing", "colour=red", "notes: warm sea" for words and
            "notes ~ arm" for letters.
        """
        check_is_fitted(self)
        if hasattr(self, "n_features_in_"):
            _check_feature_names_in(self, input_features)
        of = "reduced_names" if self.view == "dense" else "names"
        return np.array(
            [name for part in self.parts_.values() for name in getattr(part, of)], dtype=object
        )

    def describe(self):
        """Return what each column was taken for, why, and how many columns it became.

        Returns
        -------
        rows : list of dict with "column", "kind", "why" and "features"

        Examples
        --------
        >>> from labelfield import TableEncoder
        >>> TableEncoder().fit([[1.5, 7], [2.5, 7], [2.0, 7]]).describe()[1]
        {'column': 'x1', 'kind': 'constant', 'why': 'every cell holds 7', 'features': 0}
        """
        check_is_fitted(self)
        of = "reduced_names" if self.view == "dense" else "names"
        return [
            {
                "column": name,
                "kind": kind,
                "why": self._reasons[name],
                "features": len(getattr(self.parts_[name], of)) if name in self.parts_ else 0,
            }
            for name, kind in self.columns_.items()
        ]

    def save(self, path, *, notes=None):
        """Write the encoder to a file for `labelfield.load`; see `labelfield.save`."""
        from labelfield.io import save

        save(self, path, notes=notes)

    def _part(self, guess):
        if guess.kind == "text":
            return TextPart(self.min_df, self.max_features, self.letters)
        if guess.kind == "category":
            return CategoryPart(self.min_df, self.max_features)
        if guess.kind == "date":
            return DatePart(guess.notation)
        return BooleanPart() if guess.kind == "boolean" else NumberPart()

    def _fit_reduce(self, blocks):
        rng = as_generator(self.random_state)
        return [
            part.fit_reduce(block, self.n_components, int(rng.integers(2**31)))
            for part, block in zip(self.parts_.values(), blocks)
        ]

    def _joined(self, blocks):
        if self.sparse_:
            return sp.csr_matrix(sp.hstack(blocks, format="csr"))
        return self._stacked(blocks)

    def _stacked(self, blocks):
        return np.hstack([b.toarray() if sp.issparse(b) else b for b in blocks])

    def _compare_columns(self, X, columns):
        """Refuse a table of other columns, or of the same in another order."""
        validate_data(self, X, reset=False, skip_check_array=True)
        names = [column.name for column in columns]
        if names != list(self.columns_):
            raise ValueError(
                f"X has the columns {', '.join(names[:20])}; fit saw "
                f"{', '.join([*self.columns_][:20])}."
            )
