"""The contract of every joint distribution over label sets."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self

import numpy as np

from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.kernels.logspace import logsumexp

if TYPE_CHECKING:
    from labelfield.joints.support import SupportJoint

__all__ = ["Joint", "block_rows"]

BLOCK_BYTES = 64 * 2**20


def block_rows(n_rows: int, bytes_per_row: float) -> Iterator[slice]:
    """Cut `n_rows` into slices whose working memory stays near `BLOCK_BYTES`."""
    step = max(1, int(BLOCK_BYTES / max(bytes_per_row, 1.0)))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


class Joint(ABC):
    """A batch of n distributions over {0, 1}^L, one per row; immutable.

    Sets are rows of 0/1 arrays of dtype uint8. A subclass says in `exact` whether its numbers
    are exact and in `normalized` whether `log_prob` is available.
    """

    n_labels: int

    @property
    def exact(self) -> bool:
        """Whether marginals, modes and best sets are exact rather than approximations."""
        return True

    @property
    def normalized(self) -> bool:
        """Whether probabilities (not only scores) of sets are known."""
        return True

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of rows n."""

    @abstractmethod
    def take(self, rows: slice | IntArray | BoolArray) -> Self:
        """Return the joint of the chosen rows."""

    @abstractmethod
    def log_score(self, Y: LabelArray) -> FloatArray:
        """Return log p(Y) up to a constant per row: (n, L) -> (n,), (n, k, L) -> (n, k)."""

    @abstractmethod
    def marginals(self) -> FloatArray:
        """Return P(y_l = 1): (n, L)."""

    @abstractmethod
    def pair_marginals(self) -> FloatArray:
        """Return P(y_l = 1, y_m = 1): (n, L, L), marginals on the diagonal.

        The answer itself takes n L^2 numbers: call it on `take` of a block of rows.
        """

    @abstractmethod
    def top_k(self, k: int) -> tuple[LabelArray, FloatArray]:
        """Return the k most probable sets (n, k, L) and their log-scores (n, k), best first.

        With fewer than k sets in all, k is the number of sets. Ties are broken in a fixed order.
        """

    @abstractmethod
    def sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        """Draw sets: (n, n_draws, L)."""

    @abstractmethod
    def size_marginals(self, max_size: int | None = None) -> FloatArray:
        """Return P(y_l = 1, |y| = s) at [i, l, s - 1] for s = 1..max_size: (n, L, max_size)."""

    def log_prob(self, Y: LabelArray) -> FloatArray:
        """Return log p(Y): (n, L) -> (n,), (n, k, L) -> (n, k)."""
        return self.log_score(Y)

    def mode(self) -> LabelArray:
        """Return the most probable set of each row: (n, L)."""
        return self.top_k(1)[0][:, 0]

    def size_distribution(self) -> FloatArray:
        """Return P(|y| = s) for s = 0..L: (n, L + 1)."""
        sizes = self.size_marginals().sum(axis=1) / np.arange(1, self.n_labels + 1)
        return np.concatenate([1.0 - sizes.sum(axis=1, keepdims=True), sizes], axis=1)

    def restrict(self, support: LabelArray) -> "SupportJoint":
        """Return the same law on the listed sets (M, L) only, renormalised."""
        from labelfield.joints.support import SupportJoint

        support = np.unique(np.asarray(support, dtype=np.uint8), axis=0)
        log_weights = np.empty((len(self), len(support)))
        for rows in block_rows(len(self), 16.0 * support.size):
            block = self.take(rows)
            sets = np.broadcast_to(support, (len(block), *support.shape))
            log_weights[rows] = block.log_score(sets)
        return SupportJoint(support, log_weights - logsumexp(log_weights, axis=1)[:, None])

    def blocks(self, bytes_per_row: float) -> Iterator[tuple[slice, Self]]:
        """Walk over the rows in slices of bounded memory: (slice, joint of those rows)."""
        for rows in block_rows(len(self), bytes_per_row):
            yield rows, self.take(rows)
