"""Approximate engines: messages, mean field, Gibbs sampling, and what they share."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from scipy.special import expit

from labelfield import kernels
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.joints._engines.contract import Beliefs, BestSets, Engine, Options
from labelfield.joints._parts.field import Field
from labelfield.joints.base import block_rows
from labelfield.joints.independent import IndependentJoint
from labelfield.kernels.sets.bits import repeated
from labelfield.kernels.sets.logspace import largest

__all__ = ["Gibbs", "MaxProduct", "MeanField", "SumProduct"]

N_LISTED = 128  # sets the search for the best ones looks at, at least
N_IMPROVED = 32  # of them, the first ones are also starts for greedy flips
BURN_IN = 100


class Approximate(Engine):
    """Beliefs of some kind; draws by Gibbs sampling; best sets by a bound and greedy flips.

    MPLP bounds the score of every set by that of independent labels, whose best sets can be listed
    in order. They are candidates, and so are the sets that single flips cannot improve, started
    from the engine's own decision, from that of MPLP and from the labels on their own. The best
    candidates win; no set left out scores more than the bound of the last one listed.
    """

    exact = False

    def cost(self, field: Field) -> float:
        return float(np.inf)

    def pair_marginals(self, field: Field, options: Options) -> FloatArray:
        beliefs = self.beliefs(field, options)
        pairs = beliefs.marginals[:, :, None] * beliefs.marginals[:, None]
        diagonal = np.arange(field.graph.n_labels)
        pairs[:, diagonal, diagonal] = beliefs.marginals
        is_pair = field.graph.sizes == 2
        first = field.graph.members[field.graph.offsets[:-1][is_pair]]
        second = field.graph.members[field.graph.offsets[:-1][is_pair] + 1]
        pairs[:, first, second] = pairs[:, second, first] = beliefs.clique_marginals[:, is_pair]
        return pairs

    def size_marginals(self, field: Field, n_sizes: int, options: Options) -> FloatArray:
        answer = np.empty((len(field), field.graph.n_labels, n_sizes))
        for rows in block_rows(len(field), 24.0 * options.n_draws * field.graph.n_labels):
            draws = _shared_draws(field.take(rows), options).astype(float)
            is_size = draws.sum(axis=2)[..., None] == np.arange(1, n_sizes + 1)
            answer[rows] = draws.swapaxes(1, 2) @ is_size / options.n_draws
        return answer

    def sample(self, field: Field, n_draws: int, rng: np.random.Generator) -> LabelArray:
        return _gibbs(field, n_draws, lambda: rng.random(field.unary.shape))

    def best_sets(self, field: Field, k: int, allow_empty: bool, options: Options) -> BestSets:
        n_labels = field.graph.n_labels
        n_listed = min(max(N_LISTED, 2 * k), 2**n_labels - (not allow_empty))
        sets = np.empty((len(field), k, n_labels), dtype=np.uint8)
        bound = np.empty(len(field))
        row_bytes = 32.0 * n_listed * n_labels + 16.0 * len(field.graph.members)
        for rows in block_rows(len(field), row_bytes):
            block = field.take(rows)
            own = self.beliefs(block, options).marginals > 0.5
            sets[rows], bound[rows] = _search(block, own, k, n_listed, allow_empty, options)
        return BestSets(sets, bound)


class SumProduct(Approximate):
    """Sum-product (belief propagation): marginals, and the Bethe approximation of log Z."""

    name: ClassVar[str] = "sum_product"

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        return _pass(field, options, maximize=False)


class MaxProduct(Approximate):
    """Max-product: "marginals" are the logistic of max-marginal differences, log Z is unknown."""

    name: ClassVar[str] = "max_product"

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        beliefs = _pass(field, options, maximize=True)
        return beliefs._replace(log_partition=np.full(len(field), np.nan))


class MeanField(Approximate):
    """Mean field: means, and a lower bound on log Z."""

    name: ClassVar[str] = "mean_field"

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        answers = kernels.fields.sweeps.mean_field(*field.parts, options.max_iter, options.tol)
        return Beliefs(*answers)


class Gibbs(Approximate):
    """Gibbs sampling: frequencies among `n_draws` draws; log Z is unknown."""

    name: ClassVar[str] = "gibbs"

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        n, n_labels = field.unary.shape
        marginals, present = np.empty((n, n_labels)), np.empty((n, field.graph.n_cliques))
        for rows in block_rows(n, 2.0 * options.n_draws * n_labels):
            draws = _shared_draws(field.take(rows), options)
            marginals[rows] = draws.mean(axis=1)
            for c, clique in enumerate(field.graph.cliques):
                present[rows, c] = draws[..., list(clique)].all(axis=2).mean(axis=1)
        return Beliefs(np.full(n, np.nan), marginals, present, np.ones(n, dtype=bool))


def _pass(field: Field, options: Options, maximize: bool) -> Beliefs:
    """Return what the messages say when they have settled, or when the rounds are over."""
    limit = kernels.fields.messages.MAX_COUPLING
    coupling = np.clip(field.coupling, -limit, limit)
    belief, message, settled, _ = kernels.fields.messages.pass_messages(
        field.unary,
        field.graph.arrays,
        coupling,
        maximize,
        options.schedule == "sequential",
        options.damping,
        options.max_iter,
        options.tol,
    )
    log_partition, present = kernels.fields.messages.read_sum_product(
        belief, message, field.graph.arrays, coupling
    )
    return Beliefs(log_partition, expit(belief), present, settled)


def _gibbs(field: Field, n_draws: int, random: Callable[[], FloatArray]) -> LabelArray:
    """Draw sets (n, n_draws, L), one sweep each; `random` gives the uniform numbers of a sweep."""
    sets = (field.unary > 0.0).astype(np.uint8)
    draws = np.empty((len(field), n_draws, field.graph.n_labels), dtype=np.uint8)
    for sweep in range(-BURN_IN, n_draws):
        kernels.fields.sweeps.gibbs_sweep(*field.parts, sets, random())
        if sweep >= 0:
            draws[:, sweep] = sets
    return draws


def _shared_draws(field: Field, options: Options) -> LabelArray:
    """Draw sets with the same random numbers in all rows: none depends on the rows next to it."""
    rng = np.random.default_rng(options.random_state)
    shape = field.unary.shape
    return _gibbs(
        field, options.n_draws, lambda: np.broadcast_to(rng.random(shape[1]), shape).copy()
    )


def _search(
    field: Field,
    own: BoolArray,
    k: int,
    n_listed: int,
    allow_empty: bool,
    options: Options,
) -> tuple[LabelArray, FloatArray]:
    """Return the k best candidates (n, k, L) and a bound (n,) on the score of all other sets."""
    belief, peak, _ = kernels.fields.mplp.mplp(*field.parts, options.max_iter, options.tol)
    listed, _ = IndependentJoint(belief).top_k(n_listed, allow_empty)
    slack = peak - np.maximum(belief, 0.0).sum(axis=1)  # what cliques add to the bound of any set
    last = (belief * listed[:, -1]).sum(axis=1) + slack
    complete = listed.shape[1] == 2**field.graph.n_labels - (not allow_empty)
    starts = np.stack([own, belief > 0.0, field.unary > 0.0], axis=1).astype(np.uint8)
    starts = np.concatenate([starts, listed[:, :N_IMPROVED]], axis=1)
    kernels.fields.sweeps.improve(*field.parts, starts)
    candidates = np.concatenate([listed, starts], axis=1)
    scores = field.score(candidates)
    scores[repeated(candidates)] = -np.inf
    if not allow_empty:
        scores[~candidates.any(axis=2)] = -np.inf
    best = largest(scores, k)
    chosen = np.take_along_axis(candidates, best[..., None], axis=1)
    return chosen, np.full(len(field), -np.inf) if complete else last
