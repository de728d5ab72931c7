"""Which labels are coupled: pairs, or larger cliques, as flat integer arrays."""

from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from labelfield._typing import IntArray
from labelfield.joints.factor_graph.elimination import min_fill, plan_elimination
from labelfield.kernels.fields.graphs import Cliques, EliminationPlan
from labelfield.rules import LabelRules
from labelfield.rules.factors import Table

__all__ = ["MAX_WIDTH", "FactorGraph"]

MAX_WIDTH = 20  # labels of a separator: exact tables of 2^20 entries at most


class FactorGraph:
    """L labels and C cliques of two or three of them.

    Parameters
    ----------
    n_labels : int
        Number of labels L.
    cliques : (E, 2) or (C, 3) array of int, or list of tuples of two or three labels
        The coupled labels, each clique once.
    rules : LabelRules, optional
        Rules that sets must keep: exact inference is by the junction tree of cliques and rules.

    Attributes
    ----------
    members, offsets : int arrays of shape (sum of sizes,) and (C + 1,)
        Labels of clique c, ascending: `members[offsets[c] : offsets[c + 1]]`.
    edges : int array of shape (E, 2)
        The pairs of labels that share a clique, each once, in order of first appearance: the
        cliques themselves where all are pairs.

    Examples
    --------
    >>> from labelfield.joints.factor_graph import FactorGraph
    >>> graph = FactorGraph(4, [(0, 1), (1, 2), (0, 1, 2)])
    >>> graph.n_cliques, graph.edges.tolist()
    (3, [[0, 1], [1, 2], [0, 2]])
    >>> graph.is_forest, graph.components.tolist(), graph.treewidth
    (False, [0, 0, 0, 1], 2)
    """

    def __init__(self, n_labels: int, cliques: Any, rules: LabelRules | None = None) -> None:
        self.n_labels = int(n_labels)
        self.rules = rules
        listed = [_as_clique(clique, self.n_labels) for clique in cliques]
        if len(set(listed)) < len(listed):
            twice = next(c for i, c in enumerate(listed) if c in listed[:i])
            raise ValueError(f"cliques list {twice} twice; add its couplings up and list it once.")
        self.members = np.array([label for clique in listed for label in clique], dtype=np.intp)
        self.offsets = np.cumsum([0, *map(len, listed)], dtype=np.intp)

    @classmethod
    def complete(cls, n_labels: int) -> "FactorGraph":
        """Return the graph of all pairs, (0, 1), (0, 2), ..., (L - 2, L - 1)."""
        return cls(n_labels, np.column_stack(np.triu_indices(n_labels, 1)))

    @classmethod
    def of_edges(cls, n_labels: int, edges: Any) -> "FactorGraph":
        """Return the graph of these cliques: itself if it is one, kept if it is an array."""
        if isinstance(edges, FactorGraph):
            return edges
        if isinstance(edges, np.ndarray) and edges.size and edges.dtype.kind in "iu":
            whole = np.ascontiguousarray(edges, dtype=np.int64)
            return _graph_of_edges(n_labels, whole.shape, whole.tobytes())
        return cls(n_labels, edges)

    @classmethod
    def of_rules(cls, rules: LabelRules) -> "FactorGraph":
        """Return the graph of labels that nothing but rules couples."""
        return _graph_of(rules)

    def given_rules(self, rules: LabelRules) -> "FactorGraph":
        """Return the graph whose sets keep these rules too."""
        joined = rules if self.rules is None else self.rules & rules
        if not self.n_cliques:
            return _graph_of(joined)
        return FactorGraph(self.n_labels, self.cliques, joined)

    @property
    def n_hidden(self) -> int:
        """Number of hidden labels that count for the rules."""
        return 0 if self.rules is None else self.rules.factors.n_hidden

    @property
    def n_cliques(self) -> int:
        """Number of cliques C."""
        return len(self.offsets) - 1

    @property
    def sizes(self) -> IntArray:
        """Number of labels of each clique: (C,)."""
        return np.diff(self.offsets)

    @property
    def is_pairwise(self) -> bool:
        """Whether every clique is a pair."""
        return bool((self.sizes == 2).all())

    @cached_property
    def cliques(self) -> list[tuple[int, ...]]:
        """The cliques as tuples of labels."""
        members = self.members.tolist()
        return [tuple(members[at:end]) for at, end in pairwise(self.offsets.tolist())]

    @cached_property
    def edges(self) -> IntArray:
        if self.is_pairwise:
            return self.members.reshape(-1, 2)
        pairs: dict[tuple[int, int], None] = {}
        for clique in self.cliques:
            for index, second in enumerate(clique):
                pairs.update(dict.fromkeys((first, second) for first in clique[:index]))
        return np.array(list(pairs), dtype=np.intp).reshape(-1, 2)

    @cached_property
    def neighbours(self) -> tuple[IntArray, IntArray]:
        """Starts (L + 1,) and labels: neighbours of l are labels[starts[l] : starts[l + 1]]."""
        ends = np.concatenate([self.edges, self.edges[:, ::-1]])
        ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
        starts = np.searchsorted(ends[:, 0], np.arange(self.n_labels + 1))
        return starts.astype(np.intp), np.ascontiguousarray(ends[:, 1])

    @cached_property
    def arrays(self) -> Cliques:
        """The cliques, and which of them each label belongs to, as kernels take them."""
        order = np.argsort(self.members, kind="stable")
        starts = np.searchsorted(self.members[order], np.arange(self.n_labels + 1))
        incident = np.repeat(np.arange(self.n_cliques), self.sizes)[order]
        return Cliques(self.members, self.offsets, starts.astype(np.intp), incident.astype(np.intp))

    @cached_property
    def membership(self) -> Any:
        """Which labels each clique holds: a CSR matrix (C, L) of ones."""
        clique = np.repeat(np.arange(self.n_cliques), self.sizes)
        shape = (self.n_cliques, self.n_labels)
        return sparse.csr_array((np.ones(len(clique)), (clique, self.members)), shape=shape)

    @cached_property
    def components(self) -> IntArray:
        """Number of the connected component of each label: (L,)."""
        starts, labels = self.neighbours
        shape = (self.n_labels, self.n_labels)
        matrix = sparse.csr_array((np.ones(len(labels)), labels, starts), shape=shape)
        answer: IntArray = csgraph.connected_components(matrix, directed=False)[1].astype(np.intp)
        return answer

    @property
    def is_forest(self) -> bool:
        """Whether the pairs of coupled labels close no cycle."""
        return bool(len(self.edges) == self.n_labels - self.components.max() - 1)

    @cached_property
    def _steps(self) -> list[tuple[int, set[int]]]:
        around: list[set[int]] = [set() for _ in range(self.n_labels + self.n_hidden)]
        starts, labels = (part.tolist() for part in self.neighbours)
        for label, (at, end) in enumerate(pairwise(starts)):
            around[label].update(labels[at:end])
        for table in self._tables:
            for label in table.scope:
                around[label].update(table.scope)
        for label, others in enumerate(around):
            others.discard(label)
        return min_fill(around, MAX_WIDTH)

    @property
    def _tables(self) -> list[Table]:
        return [] if self.rules is None else self.rules.factors.tables

    @property
    def elimination_order(self) -> IntArray | None:
        """Labels in the order of the min-fill rule: (L,); None where `treewidth` is."""
        return np.array([v for v, _ in self._steps], dtype=np.intp) if self._steps else None

    @property
    def treewidth(self) -> int | None:
        """Upper bound on the treewidth by the min-fill order, None if it is beyond 20."""
        return max(len(around) for _, around in self._steps) if self._steps else None

    @property
    def n_cells(self) -> float:
        """Number of separator configurations of the elimination, inf where there is no order."""
        return sum(2.0 ** len(around) for _, around in self._steps) if self._steps else np.inf

    @cached_property
    def elimination_plan(self) -> EliminationPlan:
        """The tables of exact elimination; look at `n_cells` before asking for them."""
        return plan_elimination(self._steps, self.cliques, self._tables)

    def __repr__(self) -> str:
        return f"FactorGraph(n_labels={self.n_labels}, n_cliques={self.n_cliques})"


@lru_cache(maxsize=16)
def _graph_of(rules: LabelRules) -> FactorGraph:
    """Return the graph of rules; kept, since every block of rows asks for the same one."""
    return FactorGraph(rules.n_labels, (), rules)


@lru_cache(maxsize=16)
def _graph_of_edges(n_labels: int, shape: tuple[int, ...], edges: bytes) -> FactorGraph:
    """Return the graph of an array of cliques; kept, since a model asks for it in every call."""
    return FactorGraph(n_labels, np.frombuffer(edges, dtype=np.int64).reshape(shape))


def _as_clique(clique: Iterable[Any], n_labels: int) -> tuple[int, ...]:
    given = tuple(clique)
    labels = tuple(sorted(int(label) for label in given))
    if any(int(label) != label for label in given):
        raise ValueError(f"cliques name labels by whole numbers, got {given}.")
    if len(set(labels)) != len(labels) or len(labels) not in (2, 3):
        raise ValueError(f"a clique holds two or three different labels, got {labels}.")
    if labels[0] < 0 or labels[-1] >= n_labels:
        raise ValueError(f"cliques name labels 0..{n_labels - 1}, got {labels}.")
    return labels
