"""What every base learner is given, and what it gives."""

from abc import ABC, abstractmethod
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np

from labelfield._progress import Step
from labelfield.auto.evidence import ListedSets, Scores
from labelfield.auto.features import Features

__all__ = ["Base", "FoldwiseBase", "Training", "walk"]


@dataclass(frozen=True, eq=False)
class Training:
    """The training rows, as all base learners get them.

    Attributes
    ----------
    features : Features
    Y : array (n, L)
        0, 1 and NaN (unknown).
    filled : uint8 array (n, L)
        The same with guesses in place of NaN, for learners that know no unknown labels.
    listed : ListedSets
    folds : list of (train, test)
    sample_weight : array (n,) or None
    n_jobs : int or None
    seed : int
    step : callable
        `with data.step("fold"):` tells progress bars of a step.
    """

    features: Features
    Y: np.ndarray
    filled: np.ndarray
    listed: ListedSets
    folds: list
    sample_weight: np.ndarray | None
    n_jobs: int | None
    seed: int
    step: Step = field(default=lambda name: nullcontext(), repr=False)

    def labels_of(self, rows):
        """Return the labels of some rows: uint8, or float with NaN where any is unknown."""
        Y = self.Y[rows]
        return Y if np.isnan(Y).any() else Y.astype(np.uint8)

    def weight_of(self, rows):
        """Return the weights of some rows, or None."""
        return None if self.sample_weight is None else self.sample_weight[rows]


class Base(ABC):
    """A learner whose settings are chosen while it is judged on rows it has not seen."""

    def __init__(self, name):
        self.name = name

    def estimated_seconds(self, data):
        """Return about how many CPU seconds `hold_out` and `fit` will take."""
        return 0.0

    def n_steps(self, data):
        """Return how many steps `hold_out` and `fit` tell of at most."""
        return 1

    def bytes_per_row(self):
        """Return about how much memory `scores` takes for a row, beside the scores themselves."""
        return 0.0

    @abstractmethod
    def hold_out(self, data):
        """Choose settings; return the Scores of every row, by a fit without its fold."""

    @abstractmethod
    def fit(self, data):
        """Fit to all rows with the settings chosen by `hold_out`."""

    @abstractmethod
    def scores(self, features):
        """Return the Scores of new rows."""


class FoldwiseBase(Base):
    """A base learner that is judged by a fit on each fold."""

    @abstractmethod
    def fit_rows(self, data, rows):
        """Return a model fitted to some of the rows."""

    @abstractmethod
    def scores_by(self, model, features):
        """Return the Scores of a fitted model."""

    def n_steps(self, data):
        """Count the folds and the fit to all rows."""
        return len(data.folds) + 1

    def hold_out(self, data):
        """Fit to every fold's training rows; return the Scores of its test rows."""
        parts = []
        for train, test in data.folds:
            with data.step("fold"):
                model = self.fit_rows(data, train)
                parts.append(self.scores_by(model, data.features.take(test)))
        return Scores.in_order(data.folds, parts)

    def fit(self, data):
        """Fit to all rows."""
        with data.step("all rows"):
            self.model = self.fit_rows(data, np.arange(len(data.Y)))
        return self

    def scores(self, features):
        """Return the Scores of new rows."""
        return self.scores_by(self.model, features)


def walk(score, n_choices, first):
    """Return the choice that no neighbour beats, going up from the first one, then down.

    Examples
    --------
    >>> from labelfield.auto.bases.base import walk
    >>> walk(lambda number: -abs(number - 3), 5, 1)
    3
    """
    best = first
    for step in (1, -1):
        while 0 <= best + step < n_choices and score(best + step) > score(best):
            best += step
    return best
