"""What an engine of inference promises."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.joints._parts.field import Field
from labelfield.joints._parts.options import check_options

__all__ = ["Beliefs", "BestSets", "Engine", "Options"]


class Beliefs(NamedTuple):
    """log Z (n,), P(y_l = 1) (n, L), P(clique all present) (n, C), which rows settled (n,)."""

    log_partition: FloatArray
    marginals: FloatArray
    clique_marginals: FloatArray
    converged: BoolArray


class BestSets(NamedTuple):
    """Sets (n, k, L), best first, and a bound (n,) on the score of every set not among them.

    The sets are proven to be the best where the last of them scores no less than the bound.
    """

    sets: LabelArray
    bound: FloatArray


@dataclass(frozen=True)
class Options:
    """Settings of iterative engines and of draws."""

    max_iter: int = 200
    tol: float = 1e-6
    damping: float = 0.5
    schedule: str = "sequential"
    n_draws: int = 1000
    random_state: int = 0

    def __post_init__(self) -> None:
        check_options("IsingJoint", **vars(self))


class Engine(ABC):
    """One way to answer every question about a field."""

    name: ClassVar[str]
    exact: ClassVar[bool]

    @abstractmethod
    def cost(self, field: Field) -> float:
        """Return about how many table entries a row takes: compared with `MAX_CELLS`."""

    @abstractmethod
    def beliefs(self, field: Field, options: Options) -> Beliefs:
        """Return the partition function, marginals of labels and of cliques."""

    @abstractmethod
    def pair_marginals(self, field: Field, options: Options) -> FloatArray:
        """Return P(y_l = 1, y_m = 1): (n, L, L)."""

    @abstractmethod
    def size_marginals(self, field: Field, n_sizes: int, options: Options) -> FloatArray:
        """Return P(y_l = 1, |y| = s) for s = 1..n_sizes: (n, L, n_sizes)."""

    @abstractmethod
    def best_sets(self, field: Field, k: int, allow_empty: bool, options: Options) -> BestSets:
        """Return the k best sets, or all that keep the rules of the graph if those are fewer."""

    @abstractmethod
    def sample(self, field: Field, n_draws: int, rng: np.random.Generator) -> LabelArray:
        """Draw sets: (n, n_draws, L)."""
