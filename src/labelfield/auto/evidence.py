"""What the base learners say of rows, and the label sets that they speak of."""

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

__all__ = ["Evidence", "ListedSets", "Scores", "in_order"]

MAX_CELLS = 10_000_000  # rows x listed sets


@dataclass(frozen=True, eq=False)
class ListedSets:
    """The most frequent label sets of the training rows.

    Attributes
    ----------
    sets : uint8 array (S, L)
    of_row : int array (n,)
        Which set a training row has; -1 where it is not listed, or not known completely.
    """

    sets: np.ndarray
    of_row: np.ndarray

    @classmethod
    def of(cls, Y, known=None):
        """List the sets of Y (n, L), as many as a table of all rows and sets has room for."""
        complete = np.arange(len(Y)) if known is None else np.flatnonzero(known.all(axis=1))
        sets, of_complete, counts = np.unique(
            Y[complete], axis=0, return_inverse=True, return_counts=True
        )
        room = max(1, MAX_CELLS // max(len(Y), 1))
        kept = np.sort(np.argsort(-counts, kind="stable")[:room])
        number = np.full(len(sets) + 1, -1)
        number[kept] = np.arange(len(kept))
        of_row = np.full(len(Y), -1)
        of_row[complete] = number[of_complete.ravel()]
        return cls(sets[kept].astype(np.uint8), of_row)

    def counts(self, rows):
        """Return how many of the given training rows have each set: (S,)."""
        of_rows = self.of_row[rows]
        return np.bincount(of_rows[of_rows >= 0], minlength=len(self.sets))

    def one_hot(self, rows):
        """Return which set each of the given training rows has: CSR (len(rows), S)."""
        of_rows = self.of_row[rows]
        listed = np.flatnonzero(of_rows >= 0)
        entries = (np.ones(len(listed)), (listed, of_rows[listed]))
        return sp.csr_matrix(entries, shape=(len(rows), len(self.sets)))


@dataclass(frozen=True, eq=False)
class Scores:
    """What one base learner says of rows: log-odds (n, L) of the labels, scores (n, S) of sets."""

    log_odds: np.ndarray
    of_sets: np.ndarray | None = None

    @classmethod
    def in_order(cls, folds, parts):
        """Return the Scores of all rows from those of the test rows of every fold."""
        log_odds = in_order(folds, [part.log_odds for part in parts])
        if parts[0].of_sets is None:
            return cls(log_odds)
        return cls(log_odds, in_order(folds, [part.of_sets for part in parts]))


@dataclass(eq=False)
class Evidence:
    """What all base learners say of rows.

    Attributes
    ----------
    log_odds : dict of name -> array (n, L)
    of_sets : dict of name -> float32 array (n, S)
    counts : array (parts, S)
        How many training rows behind the evidence have each set.
    part : int array (n,)
        Which training rows are behind the evidence of a row: those of all folds but its own.
    """

    counts: np.ndarray
    part: np.ndarray
    log_odds: dict = field(default_factory=dict)
    of_sets: dict = field(default_factory=dict)

    def add(self, name, scores):
        """Add what a base learner says."""
        self.log_odds[name] = scores.log_odds
        if scores.of_sets is not None:
            self.of_sets[name] = scores.of_sets.astype(np.float32)

    def take(self, rows):
        """Return the evidence of the chosen rows."""
        return Evidence(
            self.counts,
            self.part[rows],
            {name: values[rows] for name, values in self.log_odds.items()},
            {name: values[rows] for name, values in self.of_sets.items()},
        )

    def possible(self):
        """Return which sets were among the training rows behind each row: bool (n, S)."""
        return (self.counts > 0)[self.part]

    def log_prior(self):
        """Return the log of how often each set was seen, plus one half: float32 (n, S)."""
        return np.log(self.counts + 0.5).astype(np.float32)[self.part]


def in_order(folds, parts):
    """Return values of all rows from those of the test rows of every fold: (n, ...).

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.auto.evidence import in_order
    >>> folds = [(np.array([0]), np.array([1, 2])), (np.array([1, 2]), np.array([0]))]
    >>> in_order(folds, [np.array([10, 20]), np.array([0])]).tolist()
    [0, 10, 20]
    """
    order = np.argsort(np.concatenate([test for _, test in folds]))
    return np.concatenate(parts)[order]
