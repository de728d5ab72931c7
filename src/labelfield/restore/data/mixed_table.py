"""A table with continuous and categorical columns, and holes."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

__all__ = ["MixedTable"]


@dataclass(frozen=True, eq=False, repr=False)
class MixedTable:
    """Rows of continuous and categorical values, either of which may be missing.

    Attributes
    ----------
    continuous : float array of shape (n, mc)
        Continuous columns; NaN is missing.
    categorical : int array of shape (n, md)
        Categorical columns as positions in `categories`; -1 is missing.
    categories : tuple of tuple of str
        The states of each categorical column.
    continuous_names, categorical_names : tuple of str
        Column names.
    target : int array of shape (n,) or None
        Class of each row, a position in `class_names`.
    class_names : tuple of str
    name : str
    columns : tuple of str
        All column names in the order of the file.
    truth : dict
        What a generator knows about the data it made.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.restore import MixedTable
    >>> table = MixedTable(np.array([[1.5], [np.nan]]), np.array([[0], [1]]), (("no", "yes"),))
    >>> table
    MixedTable('', n=2, 1 continuous, 1 categorical, 1 missing)
    """

    continuous: np.ndarray
    categorical: np.ndarray
    categories: tuple[tuple[str, ...], ...]
    continuous_names: tuple[str, ...] = ()
    categorical_names: tuple[str, ...] = ()
    target: np.ndarray | None = None
    class_names: tuple[str, ...] = ()
    name: str = ""
    columns: tuple[str, ...] = ()
    truth: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        n, mc = self.continuous.shape
        md = self.categorical.shape[1]
        if len(self.categorical) != n:
            raise ValueError(
                f"continuous has {n} rows and categorical {len(self.categorical)}; "
                "they must describe the same rows."
            )
        if len(self.categories) != md:
            raise ValueError(f"{md} categorical columns need {md} entries of categories.")
        sizes = np.array([len(states) for states in self.categories], dtype=int)
        if ((self.categorical < -1) | (self.categorical >= sizes)).any():
            raise ValueError("categorical holds a code outside its categories (-1 is missing).")
        defaults = {
            "continuous_names": tuple(f"u{s + 1}" for s in range(mc)),
            "categorical_names": tuple(f"v{j + 1}" for j in range(md)),
        }
        for attribute, names in defaults.items():
            if not getattr(self, attribute):
                object.__setattr__(self, attribute, names)
        if not self.columns:
            object.__setattr__(self, "columns", self.continuous_names + self.categorical_names)
        twins = [name for name, count in Counter(self.columns).items() if count > 1]
        if twins:
            raise ValueError(f"Several columns are named {twins[0]!r}; names must differ.")

    def __repr__(self) -> str:
        n, mc = self.continuous.shape
        return (
            f"MixedTable({self.name!r}, n={n}, {mc} continuous, {self.categorical.shape[1]} "
            f"categorical, {int(self.missing().sum())} missing)"
        )

    def missing(self) -> np.ndarray:
        """Which cells are missing, (n, mc + md), continuous columns first."""
        return np.hstack([np.isnan(self.continuous), self.categorical < 0])

    def take(self, rows) -> "MixedTable":
        """The table of these rows (integers or a mask)."""
        target = None if self.target is None else self.target[rows]
        return replace(
            self,
            continuous=self.continuous[rows],
            categorical=self.categorical[rows],
            target=target,
        )

    def with_cells(self, continuous, categorical) -> "MixedTable":
        """The table with other values in its cells."""
        return replace(self, continuous=continuous, categorical=categorical)

    def filled_from(self, reference: "MixedTable") -> "MixedTable":
        """Fill the holes with the means and most frequent states of a reference table.

        Examples
        --------
        >>> import numpy as np
        >>> from labelfield.restore import MixedTable
        >>> table = MixedTable(np.array([[1.0], [np.nan]]), np.array([[0], [-1]]), (("a", "b"),))
        >>> table.filled_from(table).continuous.ravel().tolist()
        [1.0, 1.0]
        """
        continuous, categorical = self.continuous.copy(), self.categorical.copy()
        for s, name in enumerate(self.continuous_names):
            known = reference.continuous[:, s][~np.isnan(reference.continuous[:, s])]
            _refuse_empty(known, name)
            continuous[np.isnan(continuous[:, s]), s] = known.mean()
        for j, name in enumerate(self.categorical_names):
            known = reference.categorical[:, j][reference.categorical[:, j] >= 0]
            _refuse_empty(known, name)
            categorical[categorical[:, j] < 0, j] = np.bincount(known).argmax()
        return self.with_cells(continuous, categorical)

    def to_frame(self):
        """The columns as a pandas frame, in the order of the file, states as categories."""
        import pandas as pd

        parts = dict(zip(self.continuous_names, self.continuous.T, strict=True))
        for j, name in enumerate(self.categorical_names):
            parts[name] = pd.Categorical.from_codes(
                self.categorical[:, j], categories=list(self.categories[j])
            )
        return pd.DataFrame({name: parts[name] for name in self.columns})

    @classmethod
    def from_frame(cls, frame, **about) -> "MixedTable":
        """Read a pandas frame: numeric columns are continuous, all others categorical.

        Examples
        --------
        >>> import pandas as pd
        >>> from labelfield.restore import MixedTable
        >>> MixedTable.from_frame(pd.DataFrame({"age": [3.0, None], "sex": ["f", "m"]}))
        MixedTable('', n=2, 1 continuous, 1 categorical, 1 missing)
        """
        import pandas as pd

        for name, kind in frame.dtypes.items():
            if kind.kind in "cMm":
                raise ValueError(
                    f"Column {name!r} is of dtype {kind}; a MixedTable holds numbers and "
                    "categories: convert it or drop it."
                )
        columns = tuple(str(name) for name in frame.columns)
        numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
        numeric = [yes and frame.iloc[:, j].dtype != bool for j, yes in enumerate(numeric)]
        states = [
            frame.iloc[:, j].astype("category").cat for j, yes in enumerate(numeric) if not yes
        ]
        n = len(frame)
        continuous = [
            frame.iloc[:, j].to_numpy(float, na_value=np.nan) for j in np.flatnonzero(numeric)
        ]
        return cls(
            np.column_stack(continuous) if continuous else np.empty((n, 0)),
            np.column_stack([s.codes for s in states]).astype(int)
            if states
            else np.empty((n, 0), int),
            tuple(tuple(str(c) for c in s.categories) for s in states),
            tuple(name for name, yes in zip(columns, numeric, strict=True) if yes),
            tuple(name for name, yes in zip(columns, numeric, strict=True) if not yes),
            columns=columns,
            **about,
        )


def _refuse_empty(known, name):
    if not len(known):
        raise ValueError(f"Column {name!r} of the reference table has no known value.")
