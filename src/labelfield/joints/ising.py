"""Fields of labels: log p(y) = sum_l u_l y_l + sum_lm c_lm y_l y_m - log Z."""

from functools import cached_property
from typing import Any, Self

import numpy as np

from labelfield._exceptions import IntractableError
from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.joints._engines import Beliefs, Options, choose_engine
from labelfield.joints._parts.arrays import (
    as_count,
    as_known,
    as_tilt,
    clamp,
    require_possible,
)
from labelfield.joints._parts.field import Field, as_field_arrays, certainty
from labelfield.joints._parts.rules import require_size
from labelfield.joints.base import Joint, Ranked, block_rows
from labelfield.joints.factor_graph import FactorGraph
from labelfield.rules import LabelRules

__all__ = ["IsingJoint"]

ROUNDING = 1e-12  # relative difference of two scores that proves nothing


class IsingJoint(Joint):
    """A field of coupled labels: log p(y) = sum_l unary_l y_l + sum_e coupling_e y_i y_j - log Z.

    Labels are 0 and 1. Cliques of three labels are allowed through a `FactorGraph`; their term is
    the product of the three. Everything is exact while the tables it takes stay small: all sets
    of some 20 labels, or any number of labels whose graph has a small treewidth. Beyond that,
    marginals come from sum-product, best sets from a search with bounds (`certified` and `gap` say
    how good they are), sizes and draws from Gibbs sampling, and `log_prob` is not to be had.
    `method` says what was done, `exact` whether the numbers are exact.

    Parameters
    ----------
    unary : (n, L) array
        Scores of the labels, +-inf where a label is certain, as those count that outweigh its
        couplings by 1e6.
    edges : (E, 2) array of int, or FactorGraph
        The coupled labels, each pair once.
    coupling : (E,) or (n, E) array
        Weights of the edges (of the cliques of the graph), shared by all rows or one set per row.
    inference : str, default="auto"
        The cheapest exact way if it takes no more than 2^21 table entries a row, else sum-product;
        or the name of an engine: "enumeration", "junction_tree" (both exact), "sum_product",
        "max_product", "mean_field", "gibbs".
    max_iter, tol : int, float
        Rounds of iterative engines at most, and change of a message (a mean, the bound of MPLP) at
        which they stop.
    damping, schedule : float, {"sequential", "parallel"}
        Of messages: share of the old one that stays, and whether a new one counts at once.
    n_draws, random_state : int, int
        Draws per row and seed behind answers that only sampling can give.

    Attributes
    ----------
    graph : FactorGraph

    Examples
    --------
    Two labels that like each other, and a third on its own:

    >>> from labelfield.joints import IsingJoint
    >>> joint = IsingJoint([[-1.0, -1.0, 0.5]], edges=[(0, 1)], coupling=[3.0])
    >>> joint.mode()
    array([[1, 1, 1]], dtype=uint8)
    >>> joint.marginals().round(3).tolist()
    [[0.693, 0.693, 0.622]]
    >>> joint.condition([[float("nan"), 0.0, float("nan")]]).marginals().round(3).tolist()
    [[0.269, 0.0, 0.622]]
    """

    _row_arrays = ("unary",)

    def __init__(
        self,
        unary: Any,
        edges: Any,
        coupling: Any,
        *,
        inference: str = "auto",
        max_iter: int = 200,
        tol: float = 1e-6,
        damping: float = 0.5,
        schedule: str = "sequential",
        n_draws: int = 1000,
        random_state: int = 0,
    ) -> None:
        self.unary, self.graph, self._coupling = as_field_arrays(unary, edges, coupling)
        self.n_labels = self.graph.n_labels
        self.inference = inference
        self.options = Options(max_iter, tol, damping, schedule, n_draws, random_state)
        self._engine = choose_engine(inference, self._field)

    @classmethod
    def from_signs(cls, unary: Any, edges: Any, coupling: Any, **options: Any) -> Self:
        """Return the field with score sum_i unary_i s_i + sum_ij coupling_ij s_i s_j, s = 2 y - 1.

        Pairs only; scores differ from those by a constant per row.
        """
        unary, graph, coupling = as_field_arrays(unary, edges, coupling)
        if not graph.is_pairwise:
            raise ValueError("from_signs takes pairs only; write larger cliques in 0/1 labels.")
        ends = np.eye(graph.n_labels)[graph.edges].sum(axis=1)
        shift = coupling @ ends
        coupling = 4.0 * (coupling[0] if len(coupling) == 1 else coupling)
        return cls(2.0 * (unary - shift), graph, coupling, **options)

    @classmethod
    def given_only(cls, unary: FloatArray, rules: LabelRules) -> Self:
        """Return labels of these scores (n, L) that nothing but rules couples."""
        return cls(unary, FactorGraph.of_rules(rules), np.zeros(0))

    @classmethod
    def where_possible(
        cls, unary: FloatArray, graph: FactorGraph, coupling: FloatArray | None = None
    ) -> tuple[Self, FloatArray]:
        """Return the field on a graph with rules, and its log Z (n,).

        Rows in which the rules contradict labels that are certain have log Z = -inf, and their
        scores are set to zero.
        """
        coupling = np.zeros(graph.n_cliques) if coupling is None else coupling
        field = cls(unary, graph, coupling)
        log_total = field.log_partition()
        impossible = np.isneginf(log_total)
        if impossible.any():
            field = cls(np.where(impossible[:, None], 0.0, unary), graph, coupling)
        return field, log_total

    @property
    def coupling(self) -> FloatArray:
        """Weights of the cliques: (C,) where all rows share them, else (n, C)."""
        return self._coupling[0] if len(self._coupling) == 1 else self._coupling

    @property
    def edges(self) -> IntArray:
        """The coupled pairs: (E, 2)."""
        return self.graph.edges

    @property
    def rules(self) -> LabelRules | None:
        return self.graph.rules

    @property
    def exact(self) -> bool:
        """Whether all numbers are exact."""
        return self._engine.exact

    @property
    def normalized(self) -> bool:
        """Whether log_prob is available: where the engine is exact."""
        return self._engine.exact

    @property
    def method(self) -> str:
        """Name of the engine in use."""
        return self._engine.name

    @property
    def converged(self) -> BoolArray:
        """Which rows the engine settled in `max_iter` rounds: (n,); all if it is exact."""
        return self._beliefs.converged

    @property
    def gap(self) -> FloatArray:
        """By how much at most the score of the best set exceeds that of `mode`: (n,)."""
        return self._mode[2]

    @cached_property
    def _certainty(self) -> float:
        return certainty(self.unary, self._coupling)

    @cached_property
    def _field(self) -> Field:
        unary, most = self.unary, self._certainty
        if unary.size and (unary.min() < -most or unary.max() > most):
            unary = np.clip(unary, -most, most)
        return Field(unary, self.graph, self._coupling)

    @cached_property
    def _beliefs(self) -> Beliefs:
        blocks = block_rows(len(self), 16.0 * (self.n_labels + len(self.graph.members)))
        parts = [
            self._engine.beliefs(self._field.take(rows), self.options)
            for rows in list(blocks) or [slice(0, 0)]
        ]
        return Beliefs(*map(np.concatenate, zip(*parts, strict=True)))

    @cached_property
    def _mode(self) -> tuple[LabelArray, FloatArray, FloatArray]:
        return self._search(1, allow_empty=True)

    def take(self, rows: slice | IntArray | BoolArray) -> Self:
        chosen = super().take(rows)
        for computed in ("_field", "_beliefs", "_mode"):
            chosen.__dict__.pop(computed, None)
        if len(self._coupling) > 1:
            chosen._coupling = np.ascontiguousarray(self._coupling[rows])
        return chosen

    def log_partition(self) -> FloatArray:
        """Return log Z: (n,); an approximation unless `normalized`."""
        certain = self._certainty * np.isposinf(self.unary).sum(axis=1)
        total: FloatArray = self._beliefs.log_partition - certain
        if self.rules is not None:
            total = np.where(total < -0.5 * self._certainty, -np.inf, total)
        return total

    def log_normalizer(self) -> FloatArray:
        if not self.normalized:
            raise IntractableError(
                f"log_prob needs the partition function of {self.n_labels} coupled labels, which "
                f"{self.method} does not know. Use joint.restrict(support) or joint.log_score(Y)."
            )
        return self.log_partition()

    def marginals(self) -> FloatArray:
        return self._beliefs.marginals.copy()

    def clique_marginals(self) -> FloatArray:
        """Return P(all labels of the clique are present): (n, C), pairs in the order of `edges`."""
        return self._beliefs.clique_marginals.copy()

    def pair_marginals(self) -> FloatArray:
        return self._engine.pair_marginals(self._field, self.options)

    def size_marginals(self, max_size: int | None = None) -> FloatArray:
        n_sizes = self._n_sizes(max_size)
        answer = np.zeros((len(self), self.n_labels, n_sizes))
        known = min(n_sizes, self.n_labels)
        answer[..., :known] = self._engine.size_marginals(self._field, known, self.options)
        return answer

    def top_k(self, k: int, allow_empty: bool = True) -> tuple[LabelArray, FloatArray]:
        sets, log_score, _ = self._best(self._n_best(k, allow_empty), allow_empty)
        if self.normalized:
            log_score = log_score - self.log_partition()[:, None]
        return sets.copy(), log_score

    def _ranked(self, k: int, allow_empty: bool) -> Ranked:
        sets, log_score, excess = self._best(self._n_best(k, allow_empty), allow_empty)
        log_prob = log_score - self.log_normalizer()[:, None]
        ranked = self._as_ranked(sets, log_prob, excess <= 0.0, allow_empty)
        if sets.shape[1] < self._n_best(k, allow_empty):  # no other set keeps the rules
            ranked = ranked._replace(rest=np.full(len(self), -np.inf))
        return ranked

    def sized_mode(self, min_size: int, max_size: int) -> LabelArray:
        if self.rules is None:
            return super().sized_mode(min_size, max_size)
        min_size, max_size = as_count(min_size, "min_size", 0), as_count(max_size, "max_size", 0)
        if max_size >= self.n_labels and min_size <= 1:
            return self.mode(allow_empty=min_size == 0)
        require_size(self.rules, min_size, max_size)
        sized = self.rules.between(min_size, max_size)
        try:
            bound, log_total = self.where_possible(
                self.unary, self.graph.given_rules(sized), self.coupling
            )
        except IntractableError:
            return super().sized_mode(min_size, max_size)
        if np.isneginf(log_total).any():
            raise ValueError(
                f"no set with between {min_size} and {max_size} labels keeps the rules and the "
                "labels that are certain; change the size bounds."
            )
        return bound.mode()

    def mode(self, allow_empty: bool = True) -> LabelArray:
        return self._best(1, allow_empty)[0][:, 0].copy()

    def certified(self, k: int = 1, allow_empty: bool = True) -> BoolArray:
        proven: BoolArray = self._best(self._n_best(k, allow_empty), allow_empty)[2] <= 0.0
        return proven

    def _sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        draws = np.empty((len(self), n_draws, self.n_labels), dtype=np.uint8)
        for rows, block in self.blocks(10.0 * n_draws * self.n_labels):
            draws[rows] = self._engine.sample(block._field, n_draws, rng)
        return draws

    def condition(self, known: FloatArray) -> "IsingJoint":
        unary, impossible = clamp(self.unary, as_known(known, self.unary.shape))
        require_possible(impossible)
        given = self._with_unary(unary)
        if self.rules is not None:
            require_possible(np.isneginf(given.log_partition()))
        return given

    def log_evidence(self, known: FloatArray) -> FloatArray:
        unary, impossible = clamp(self.unary, as_known(known, self.unary.shape))
        return np.where(impossible, -np.inf, self._log_ratio(unary, self.unary))

    def log_tilt(self, log_odds: FloatArray) -> FloatArray:
        log_odds = as_tilt(log_odds, self.unary.shape)
        certain = np.isposinf(self.unary)
        ratio = self._log_ratio(self.unary + log_odds, self.unary + log_odds)
        ratio += (log_odds * certain).sum(axis=1)
        return ratio

    def _under(self, rules: LabelRules) -> tuple[Joint, FloatArray]:
        if not self.exact:
            return super()._under(rules)
        try:
            bound, log_total = self.where_possible(
                self.unary, self.graph.given_rules(rules), self.coupling
            )
        except IntractableError:
            if self.graph.n_cliques == 0:
                raise
            return super()._under(rules)
        return bound, np.minimum(log_total - self.log_partition(), 0.0)

    def _log_total(self) -> FloatArray:
        return self.log_partition()

    def _log_ratio(self, unary: FloatArray, scores: FloatArray) -> FloatArray:
        """Return log Z' - log Z (n,) for other unaries (n, L).

        log Z leaves out labels that are certain; `scores` (n, L) are what those count that were
        not certain before.
        """
        other = self._with_unary(unary)
        settled = np.isposinf(other.unary) & ~np.isposinf(self.unary)
        ratio = other.log_partition() - self.log_partition()
        if np.isnan(ratio).any():
            raise IntractableError(
                f"{self.method} does not know the partition function of {self.n_labels} coupled "
                "labels. Use inference='sum_product' for an estimate, or joint.restrict(support)."
            )
        ratio += np.where(settled, scores, 0.0).sum(axis=1)
        return ratio

    def tilt(self, log_odds: FloatArray) -> "IsingJoint":
        return self._with_unary(self.unary + as_tilt(log_odds, self.unary.shape))

    def _with_unary(self, unary: FloatArray) -> "IsingJoint":
        return IsingJoint(
            unary, self.graph, self.coupling, inference=self.inference, **vars(self.options)
        )

    def _best(self, k: int, allow_empty: bool) -> tuple[LabelArray, FloatArray, FloatArray]:
        """Return k sets (n, k, L), scores (n, k) and how far a set left out may exceed the last."""
        return self._mode if k == 1 and allow_empty else self._search(k, allow_empty)

    def _search(self, k: int, allow_empty: bool) -> tuple[LabelArray, FloatArray, FloatArray]:
        found = self._engine.best_sets(self._field, k, allow_empty, self.options)
        last = self._field.score(found.sets)[:, -1]
        excess = found.bound - last
        excess[excess <= ROUNDING * (1.0 + np.abs(last))] = 0.0
        return found.sets, self.log_score(found.sets), excess

    def _log_scores(self, Y: LabelArray) -> FloatArray:
        certain = np.isinf(self.unary)
        free = Field(np.where(certain, 0.0, self.unary), self.graph, self._coupling)
        scores = free.score(Y)
        if certain.any():
            wrong = certain[:, None] & ((self.unary > 0.0)[:, None] != Y)
            scores[wrong.any(axis=2)] = -np.inf
        if self.rules is not None:
            scores[~self.rules.keeps(Y)] = -np.inf
        return scores

    def _log_scores_of(self, sets: LabelArray) -> FloatArray:
        certain = np.isinf(self.unary)
        absent = 1.0 - sets.T
        scores: FloatArray = np.where(certain, 0.0, self.unary) @ sets.T
        for part in block_rows(self.graph.n_cliques, 16.0 * len(sets)):
            cliques = self.graph.cliques[part]
            present = np.array([sets[:, clique].all(axis=1) for clique in cliques], dtype=float)
            scores += self._coupling[:, part] @ present
        if certain.any():
            wrong = np.isneginf(self.unary) @ sets.T + np.isposinf(self.unary) @ absent
            scores[wrong > 0.0] = -np.inf
        if self.rules is not None:
            scores[:, ~self.rules.keeps(sets)] = -np.inf
        return scores
