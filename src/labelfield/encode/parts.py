"""Numbers, booleans, dates and categories as blocks of features, one class per kind of column.

A part learns from one column in `fit_transform` and encodes others with `transform`, both into
(n, k). `reduce` is the same block for the dense view; `names` and `reduced_names` call its columns.
"""

import json
from collections import Counter

import numpy as np
import scipy.sparse as sp

from labelfield._dates import parse_moments
from labelfield.encode.columns import Column
from labelfield.encode.kinds import BOOLEANS, number_of

__all__ = ["BooleanPart", "CategoryPart", "DatePart", "NumberPart"]

LARGEST = 1e150  # squares of larger numbers overflow
HOUR, DAY = 3_600e6, 86_400e6  # microseconds
WIDE = 50  # categories beyond which a one-hot block is kept sparse


class NumberPart:
    """Numbers with mean 0 and deviation 1; a missing one is 0, and marked if training had some."""

    def fit_transform(self, column):
        self.reads_gaps_ = False
        numbers = self._learn(column)
        present = ~np.isnan(numbers)
        self.mark_missing_ = not present.all()
        self.mean_, self.scale_ = self._centre(numbers, present)
        self.names = [f"{column.name}{ending}" for ending in self._endings()]
        if self.mark_missing_:
            self.names.append(f"{column.name} is missing")
        return self._scaled(numbers)

    def transform(self, column):
        return self._scaled(self._numbers(column))

    def fit_reduce(self, block, n_components, seed):
        return block

    def reduce(self, block):
        return block

    @property
    def reduced_names(self):
        return self.names

    def _learn(self, column):
        """Return the numbers (n, k) of the training column."""
        if column.values.dtype.kind == "O":
            numbers = np.array([np.nan if w is None else number_of(w) for w in column.values])
            self.reads_gaps_ = bool((np.isnan(numbers) & ~column.missing()).any())
        return self._numbers(column)

    def _numbers(self, column):
        if column.values.dtype.kind == "M":
            raise ValueError(f"Column {column.name!r} of X held numbers in fit, not dates.")
        if column.values.dtype.kind == "f":
            numbers = column.values
        else:
            numbers = np.array([np.nan if w is None else number_of(w) for w in column.values])
            if not self.reads_gaps_:
                _refuse(column, np.isnan(numbers), "held numbers only in fit")
        too_large = np.abs(np.nan_to_num(numbers, nan=0.0)) > LARGEST
        _refuse(column, too_large, f"may hold no number beyond {LARGEST:.0e}")
        return numbers[:, None]

    def _endings(self):
        return [""]

    def _centre(self, numbers, present):
        counts = np.maximum(present.sum(axis=0), 1)
        mean = np.where(present, numbers, 0.0).sum(axis=0) / counts
        spread = np.sqrt((np.where(present, numbers - mean, 0.0) ** 2).sum(axis=0) / counts)
        rounding = 1e-12 * np.abs(mean)  # a spread below is none
        return mean, np.where(spread > rounding, spread, 1.0)

    def _scaled(self, numbers):
        scaled = np.nan_to_num((numbers - self.mean_) / self.scale_, nan=0.0)
        if not self.mark_missing_:
            return scaled
        return np.column_stack([scaled, np.isnan(numbers).any(axis=1)])


class BooleanPart(NumberPart):
    """1 for true, 0 for false; missing cells as those of numbers."""

    def _learn(self, column):
        return self._numbers(column)

    def _numbers(self, column):
        if column.values.dtype.kind == "f":
            _refuse(column, ~np.isin(column.values, [0.0, 1.0]), "held true and false only in fit")
            return column.values[:, None]
        words = [None if w is None else w.strip().lower() for w in column.words()]
        codes = {**BOOLEANS, "1": 1.0, "0": 0.0}
        numbers = np.array([codes.get(word, np.nan) for word in words])
        _refuse(column, np.isnan(numbers), "held true and false only in fit")
        return numbers[:, None]

    def _centre(self, numbers, present):
        return np.zeros(1), np.ones(1)


class DatePart(NumberPart):
    """Days since the first moment of training, year, month, day of the week and, where moments have
    one, the hour; each scaled as a number is."""

    def __init__(self, notation):
        self.notation = notation

    def _learn(self, column):
        moments = self._moments(column)
        known = moments[~np.isnat(moments)]
        self.first_ = int(known.min().astype(np.int64))
        self.has_hours_ = bool((known != known.astype("datetime64[D]")).any())
        self.reads_gaps_ = bool((np.isnat(moments) & ~column.missing()).any())
        return self._numbers(column)

    def _moments(self, column):
        if column.values.dtype.kind == "M":
            return column.values
        if column.values.dtype.kind == "f" and not column.missing().all():
            raise ValueError(f"Column {column.name!r} of X held dates in fit, not numbers.")
        return parse_moments(column.words(), self.notation)

    def _numbers(self, column):
        moments = self._moments(column)
        if column.values.dtype.kind == "O" and not self.reads_gaps_:
            _refuse(column, np.isnat(moments), f"held dates as {self.notation} in fit")
        missing = np.isnat(moments)
        time = np.where(missing, np.nan, moments.astype(np.int64))
        months = np.where(missing, np.nan, moments.astype("datetime64[M]").astype(np.int64))
        parts = [
            (time - self.first_) / DAY,
            np.floor(months / 12) + 1970,
            months % 12 + 1,
            (np.floor(time / DAY) + 3) % 7,  # the first of January 1970 was a Thursday
        ]
        if self.has_hours_:
            parts.append(np.floor(time % DAY / HOUR))
        return np.column_stack(parts)

    def _endings(self):
        hours = [": hour"] if self.has_hours_ else []
        return [": days since the first", ": year", ": month", ": day of the week", *hours]


class CategoryPart:
    """One indicator per category that occurs often enough, one for the others together.

    Missing is a category of its own; one not seen in training counts among the others.
    """

    def __init__(self, min_count, max_categories):
        self.min_count = min_count
        self.max_categories = max_categories

    def fit_transform(self, column):
        counts = Counter(_cells(column))
        often = [word for word, count in counts.items() if count >= self.min_count] or [*counts]
        often.sort(key=lambda word: (-counts[word], word))
        kept = sorted(often[: self.max_categories])
        self.name = column.name
        self.has_others_ = len(kept) < len(counts)
        self.kept_ = json.dumps(kept)  # one text: files of a node per word open slowly
        return self.transform(column)

    def transform(self, column):
        kept = json.loads(self.kept_)
        position = {word: j for j, word in enumerate(kept)}
        others = len(kept) if self.has_others_ else -1
        codes = np.array([position.get(word, others) for word in _cells(column)])
        known = codes >= 0
        ends = np.concatenate([[0], np.cumsum(known)])
        parts = (np.ones(known.sum()), codes[known], ends)
        return sp.csr_matrix(parts, shape=(len(codes), len(kept) + self.has_others_))

    @property
    def names(self):
        kept = json.loads(self.kept_)
        names = [f"{self.name}={word}" if word else f"{self.name} is missing" for word in kept]
        return names + [f"{self.name} is another"] * self.has_others_

    def fit_reduce(self, block, n_components, seed):
        often = np.argsort(-np.asarray(block.sum(axis=0)).ravel(), kind="stable")[:n_components]
        self.frequent_ = np.sort(often)
        return self.reduce(block)

    def reduce(self, block):
        return block[:, self.frequent_]

    @property
    def reduced_names(self):
        names = self.names
        return [names[j] for j in self.frequent_]


def _cells(column):
    return ["" if word is None else word.strip() for word in column.words().tolist()]


def _refuse(column: Column, wrong, rule):
    """Refuse a column that has a wrong cell other than an empty one."""
    wrong = wrong & ~column.missing()
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"Column {column.name!r} of X {rule}; row {row} holds {str(column.values[row])[:80]!r}."
        )
