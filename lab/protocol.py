"""How a data set is cut into training and test parts, and what is done to them.

A protocol is a small frozen description. `part(source, repetition)` gives one cut; the same
repetition always gives the same cut, whatever was drawn before, so that cells can be computed in
any order and in any process.
"""

from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from lab.sources import Source
from labelfield.datasets import Dataset, flip_labels, hide_labels
from labelfield.restore import MixedTable, corrupt_table

__all__ = [
    "CrossValidation",
    "DirtyTest",
    "FreshDraws",
    "HiddenPositives",
    "NoisyCalibration",
    "Part",
    "Protocol",
    "RandomSplit",
    "StandardSplit",
]


@dataclass(frozen=True)
class Part:
    """One cut of a data set.

    Attributes
    ----------
    train, test : Dataset or MixedTable
        What a model learns from, and what it is measured on.
    extra : object
        What else the task needs: complete training labels (n, L) where the protocol hid some, the
        corrupted test table where it corrupted one.
    """

    train: Dataset | MixedTable
    test: Dataset | MixedTable
    extra: Any = None


@dataclass(frozen=True)
class Protocol:
    """Base of all protocols."""

    @property
    def only_seeds(self) -> bool:
        """Whether repetitions differ in the models' seeds only."""
        return False

    @property
    def repetitions(self) -> int:
        """The number of cuts."""
        return self.n_repetitions

    def part(self, source: Source, repetition: int) -> Part:
        """Return a cut."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Return plain data that identify the protocol; the number of repetitions does not."""
        fields = {name: value for name, value in asdict(self).items() if name != "n_repetitions"}
        return {"protocol": type(self).__name__, **fields}


@dataclass(frozen=True)
class CrossValidation(Protocol):
    """Shuffled folds: `KFold(n_splits, shuffle=True, random_state=0)`.

    Examples
    --------
    >>> from lab import CrossValidation, Generated
    >>> source = Generated("make_multilabel", {"n_samples": 50})
    >>> part = CrossValidation(5).part(source, repetition=0)
    >>> len(part.train.Y), len(part.test.Y)
    (40, 10)
    """

    n_splits: int = 5

    @property
    def repetitions(self) -> int:
        return self.n_splits

    def part(self, source: Source, repetition: int) -> Part:
        data = source.load()
        folds = KFold(self.n_splits, shuffle=True, random_state=0)
        train, test = list(folds.split(np.zeros(len(data.Y))))[repetition]
        return Part(data.take(train), data.take(test))


@dataclass(frozen=True)
class StandardSplit(Protocol):
    """The split that the data set comes with; repetitions differ in the models' seeds only."""

    n_repetitions: int = 3

    @property
    def only_seeds(self) -> bool:
        return True

    def part(self, source: Source, repetition: int) -> Part:
        return Part(source.load("train"), source.load("test"))


@dataclass(frozen=True)
class RandomSplit(Protocol):
    """A random share of the rows for testing, drawn anew in every repetition."""

    test_share: float = 0.2
    n_repetitions: int = 5

    def part(self, source: Source, repetition: int) -> Part:
        data = source.load()
        order = np.random.default_rng(repetition).permutation(len(data.Y))
        n_test = round(self.test_share * len(order))
        return Part(data.take(np.sort(order[n_test:])), data.take(np.sort(order[:n_test])))


@dataclass(frozen=True)
class FreshDraws(Protocol):
    """Training and test rows drawn from a generator, another problem in every repetition."""

    n_train: int
    n_test: int
    n_repetitions: int = 5

    def part(self, source: Source, repetition: int) -> Part:
        data = source.draw(self.n_train + self.n_test, seed=repetition)
        rows = np.arange(len(data.Y))
        return Part(data.take(rows[: self.n_train]), data.take(rows[self.n_train :]))


@dataclass(frozen=True)
class HiddenPositives(Protocol):
    """Rows drawn for training lose a share of their labels: a one becomes a zero.

    Parameters
    ----------
    rate : float
        Share of all ones in the training rows that is hidden.
    n_train : int
        Training rows; all others are for testing, with complete labels.
    """

    rate: float
    n_train: int = 3000
    n_repetitions: int = 5

    def part(self, source: Source, repetition: int) -> Part:
        data = source.load()
        rng = np.random.default_rng(repetition)
        order = rng.permutation(len(data.Y))
        train, test = data.take(order[: self.n_train]), data.take(order[self.n_train :])
        observed = hide_labels(train.Y, self.rate, random_state=rng)
        return Part(replace(train, Y=observed), test, extra=train.Y)


@dataclass(frozen=True)
class NoisyCalibration(Protocol):
    """A clean part to train on, a noisily annotated one to calibrate on, a clean one to test on.

    Each row of the calibration part is annotated by one of several coders, drawn at random; with
    the coder's rate one of its labels, drawn at random, is wrong. `extra` of the part is the noisy
    calibration data and the rate (n,) of each of its rows.

    Parameters
    ----------
    rates : tuple of float
        The coders' rates.
    shares : tuple of float
        Shares of the rows for training and for calibration.
    """

    rates: tuple[float, ...]
    shares: tuple[float, float] = (0.6, 0.2)
    n_repetitions: int = 3

    def part(self, source: Source, repetition: int) -> Part:
        data = source.load()
        rng = np.random.default_rng(repetition)
        n = len(data.Y)
        cuts = np.cumsum([round(share * n) for share in self.shares])
        train, calibration, test = map(data.take, np.split(rng.permutation(n), cuts))
        rates = rng.choice(self.rates, size=len(calibration.Y))
        noisy = flip_labels(calibration.Y, rates, random_state=rng)
        return Part(train, test, extra=(replace(calibration, Y=noisy), rates))


@dataclass(frozen=True)
class DirtyTest(Protocol):
    """A clean table to learn from, and a test table with noise and holes.

    Parameters
    ----------
    noise : float
        Strength: numbers get normal noise of this many training deviations, categories change with
        this probability.
    missing : float
        Share of the attributes of each test row that is removed.
    """

    noise: float
    missing: float
    n_repetitions: int = 10

    @property
    def only_seeds(self) -> bool:
        """Without noise and holes every repetition has the same table."""
        return self.noise == self.missing == 0

    def part(self, source: Source, repetition: int) -> Part:
        train, test = _without_holes(source)
        dirty = corrupt_table(
            test,
            noise=self.noise,
            missing=self.missing,
            scale=train.continuous.std(axis=0),
            random_state=repetition,
        )
        return Part(train, test, extra=dirty)


@lru_cache(maxsize=2)
def _without_holes(source: Source) -> tuple[MixedTable, MixedTable]:
    """Return training and test table with the training means and most frequent states in holes."""
    train, test = source.load("train"), source.load("test")
    return train.filled_from(train), test.filled_from(train)
