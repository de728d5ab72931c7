"""A split of as many rows as the document had, drawn from a larger public data set."""

from dataclasses import dataclass

import numpy as np

from lab.protocol import Part, RandomSplit
from lab.sources import Source

__all__ = ["SampledSplit"]


@dataclass(frozen=True)
class SampledSplit(RandomSplit):
    """A random split of a random sample of the rows, both drawn anew in every repetition.

    Parameters
    ----------
    n_rows : int
        Rows of training and test part together, or all if there are no more.

    Examples
    --------
    >>> from lab import Generated
    >>> from lab.sampled import SampledSplit
    >>> source = Generated("make_multilabel", {"n_samples": 90})
    >>> part = SampledSplit(n_rows=50).part(source, repetition=0)
    >>> len(part.train.Y), len(part.test.Y)
    (40, 10)
    """

    n_rows: int = 10_000

    def part(self, source: Source, repetition: int) -> Part:
        data = source.load()
        order = np.random.default_rng(repetition).permutation(len(data.Y))[: self.n_rows]
        n_test = round(self.test_share * len(order))
        return Part(data.take(np.sort(order[n_test:])), data.take(np.sort(order[:n_test])))
