"""Restricted Boltzmann machines: p(y) ~ sum_h exp(u . y + y . G h + c . h + y . S y)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit

from labelfield import kernels
from labelfield._exceptions import IntractableError
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.joints._parts.arrays import (
    as_known,
    as_sets,
    as_tilt,
    as_weights,
    clamp,
    require_possible,
)
from labelfield.joints._parts.machine import GibbsChain, Listing, Random, as_machine, pick
from labelfield.joints._parts.options import check_options
from labelfield.joints.base import Joint
from labelfield.joints.independent import IndependentJoint
from labelfield.joints.mixture import MixtureJoint
from labelfield.joints.support import SupportJoint
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.rules import LabelRules

__all__ = ["MAX_EXACT", "RBMJoint"]

MAX_EXACT = 16
N_BURNED = 30
N_DRAWS = 50
N_STEPS = 3
CERTAIN = 5.0  # log-odds that a known label counts with when the start of a chain is chosen


class RBMJoint(Joint):
    """A restricted Boltzmann machine per row; rows share all but the labels' own terms.

    Up to 16 labels every answer is exact, by listing all sets. Above, probabilities are averages
    over hidden states drawn by Gibbs chains (given them the labels are independent), or mean-field
    values; best sets come from a climb and are not proven best; probabilities of sets are not
    known, only their ratios (`log_score`). `exact` and `normalized` say which case it is.

    Parameters
    ----------
    unary : (n, L) array
        Log-odds that each label has of its own; infinite where a label is certain.
    coupling : (L, J) array
        Weights between labels and hidden units.
    hidden_bias : (J,) array
    pair : (L, L) array, optional
        Symmetric weights y . S y between labels; the diagonal adds to the labels' own terms.
    starts : (M, L) array of 0 and 1, optional
        Sets that chains and climbs start at, such as those of training rows: each draw starts at
        one of them, drawn by its score, which takes the chain past sets of low probability that
        separate the others. By default there is one long chain.
    inference : {"gibbs", "mean_field"}, default="gibbs"
        Where marginals of more than 16 labels come from.
    n_draws : int, default=50
        Hidden states that an average is taken over.
    random_state : int, default=0
        Seed of the chains. All rows share its random numbers, so that the answer for a row does not
        depend on the other rows.

    Examples
    --------
    A hidden unit that wants both labels or none:

    >>> import numpy as np
    >>> from labelfield.joints import RBMJoint
    >>> joint = RBMJoint([[-1.0, -1.0]], [[3.0], [3.0]], [-3.0])
    >>> joint.pair_marginals()[0].round(3).tolist()
    [[0.668, 0.531], [0.531, 0.668]]
    >>> joint.condition(np.array([[1.0, np.nan]])).marginals().round(3).tolist()
    [[1.0, 0.795]]
    """

    _row_arrays = ("unary",)
    _max_listed = MAX_EXACT

    def __init__(
        self,
        unary: Any,
        coupling: Any,
        hidden_bias: Any,
        *,
        pair: Any = None,
        starts: Any = None,
        inference: str = "gibbs",
        n_draws: int = N_DRAWS,
        random_state: int = 0,
    ) -> None:
        self.coupling = as_weights(coupling, "coupling")
        self.hidden_bias = as_weights(hidden_bias, "hidden_bias")
        self.pair = None if pair is None else as_weights(pair, "pair")
        self.unary = as_machine(unary, self.coupling, self.hidden_bias, self.pair)
        self.n_labels = self.unary.shape[1]
        if inference not in ("gibbs", "mean_field"):
            raise ValueError(f"inference must be 'gibbs' or 'mean_field', got {inference!r}.")
        check_options("RBMJoint", n_draws=n_draws, random_state=random_state)
        self.inference = inference
        self.n_draws = n_draws
        self.random_state = random_state
        self._n_terms = len(self.hidden_bias)
        self._all = Listing(self.coupling, self.hidden_bias, self.pair)
        self.starts: LabelArray | None = None
        if starts is not None:
            self.starts = np.ascontiguousarray(as_sets(starts, "starts"))
            if self.starts.ndim != 2 or self.starts.shape[1] != self.n_labels:
                raise ValueError(
                    f"starts must have shape (M, {self.n_labels}), got {self.starts.shape}."
                )
        self._begin = Listing(self.coupling, self.hidden_bias, self.pair, self.starts)

    @property
    def exact(self) -> bool:
        return self.n_labels <= MAX_EXACT

    @property
    def normalized(self) -> bool:
        return self.n_labels <= MAX_EXACT

    def log_normalizer(self) -> FloatArray:
        if not self.normalized:
            raise IntractableError(
                f"log_prob needs the partition function of {self.n_labels} coupled labels; exact "
                f"sums stop at {MAX_EXACT}. Use joint.restrict(support) or joint.log_score(Y)."
            )
        return self._by_blocks(RBMJoint._log_partition, (), self._listing_bytes())

    def _log_total(self) -> FloatArray:
        return self.log_normalizer() if self.normalized else np.zeros(len(self))

    def _log_scores(self, Y: LabelArray) -> FloatArray:
        n_rows, n_sets, n_labels = Y.shape
        flat = Y.reshape(-1, n_labels).astype(float)
        zeros = np.zeros((1, n_labels))
        shared = kernels.fields.rbm.score(flat, zeros, self.coupling, self.hidden_bias, self.pair)
        result: FloatArray = self._own_scores(Y.astype(float)) + shared.reshape(n_rows, n_sets)
        return result

    def _log_scores_of(self, sets: LabelArray) -> FloatArray:
        zeros = np.zeros((1, self.n_labels))
        shared = kernels.fields.rbm.score(
            sets.astype(float), zeros, self.coupling, self.hidden_bias, self.pair
        )

        def scores(joint: RBMJoint) -> FloatArray:
            return joint._own_scores(sets.astype(float)) + shared

        return self._by_blocks(scores, (len(sets),), 32.0 * len(sets))

    def _own_scores(self, Y: FloatArray) -> FloatArray:
        """Return unary . y of sets (n, k, L), or (k, L) for all rows: (n, k)."""
        free = np.isfinite(self.unary)
        finite = np.where(free, self.unary, 0.0)
        result: FloatArray = (Y @ finite[:, :, None])[..., 0] if Y.ndim == 3 else finite @ Y.T
        if not free.all():
            present, absent = (self.unary == np.inf) * 1.0, (self.unary == -np.inf) * 1.0
            if Y.ndim == 3:
                broken = Y @ absent[:, :, None] + (1.0 - Y) @ present[:, :, None]
                result[broken[..., 0] > 0.0] = -np.inf
            else:
                result[absent @ Y.T + present @ (1.0 - Y).T > 0.0] = -np.inf
        return result

    def marginals(self) -> FloatArray:
        shape = (self.n_labels,)
        if self.exact:
            means = self._answer("marginals", shape)
        elif self.inference == "mean_field":
            means = self._by_blocks(_mean_field, shape, self._state_bytes())
        else:
            means = self._by_blocks(_mean_of_draws, shape, self._state_bytes())
        return np.where(np.isinf(self.unary), self.unary > 0.0, means)

    def pair_marginals(self) -> FloatArray:
        return self._answer("pair_marginals", (self.n_labels, self.n_labels))

    def size_marginals(self, max_size: int | None = None) -> FloatArray:
        n_sizes = self._n_sizes(max_size)
        return self._answer("size_marginals", (self.n_labels, n_sizes), n_sizes)

    def size_distribution(self) -> FloatArray:
        return self._answer("size_distribution", (self.n_labels + 1,))

    def _sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        draws = np.empty((len(self), n_draws, self.n_labels), dtype=np.uint8)
        if self.exact:
            for rows, block in self.blocks(self._listing_bytes()):
                draws[rows] = block._listed().sample(n_draws, rng)
            return draws
        walk = self._walk(n_draws, lambda width: rng.random((len(self), width)))
        for draw, chain in enumerate(walk):
            draws[:, draw] = chain.Y
        return draws

    def top_k(self, k: int, allow_empty: bool = True) -> tuple[LabelArray, FloatArray]:
        k = self._n_best(k, allow_empty)
        sets, scores = [], []
        if self.exact:
            for _, block in self.blocks(self._listing_bytes()):
                best, log_prob = block._listed().top_k(k, allow_empty)
                sets.append(best)
                scores.append(log_prob)
        else:
            for _, block in self.blocks(self._state_bytes() + 24.0 * k * self.n_labels):
                best, score = block._near_mode(k, allow_empty)
                sets.append(best)
                scores.append(score)
        if not sets:
            return np.empty((0, k, self.n_labels), np.uint8), np.empty((0, k))
        return np.concatenate(sets), np.concatenate(scores)

    def _near_mode(self, k: int, allow_empty: bool) -> tuple[LabelArray, FloatArray]:
        """Return sets around the end of the climb, chosen as if flips did not interact."""
        start = self.climb()
        free, unary = self._free()
        gains = kernels.fields.rbm.flip_gains(
            start, unary, self.coupling, self.hidden_bias, self._pair_array
        )
        gains[~free] = -np.inf
        around = IndependentJoint(np.where(start == 1, -gains, gains))
        sets, _ = around.top_k(k, allow_empty)
        scores = self._log_scores(sets)
        order = np.argsort(-scores, axis=1, kind="stable")
        return (
            np.take_along_axis(sets, order[..., None], axis=1),
            np.take_along_axis(scores, order, axis=1),
        )

    def climb(self) -> LabelArray:
        """Return sets (n, L) that no single flip improves, the best over all starts."""
        free, unary = self._free()
        shared = (unary, self.coupling, self.hidden_bias, self.pair)
        ends, _ = kernels.fields.rbm.ascend(_mean_field(self), free, *shared)
        best: LabelArray = (ends > 0.5).astype(np.uint8)
        kernels.fields.rbm.greedy_flips(best, free, *shared[:3], self._pair_array)
        if self.starts is None:
            return best
        other = self.starts[self._start_scores().argmax(axis=1)]
        other = np.where(free, other, self.unary > 0.0).astype(np.uint8)
        kernels.fields.rbm.greedy_flips(other, free, *shared[:3], self._pair_array)
        scores = [kernels.fields.rbm.score(sets.astype(float), *shared) for sets in (best, other)]
        return np.where((scores[1] > scores[0])[:, None], other, best)

    def condition(self, known: FloatArray) -> "RBMJoint":
        unary, impossible = clamp(self.unary, as_known(known, self.unary.shape))
        require_possible(impossible)
        return self._with_unary(unary)

    def tilt(self, log_odds: FloatArray) -> "RBMJoint":
        return self._with_unary(self.unary + as_tilt(log_odds, self.unary.shape))

    def log_evidence(self, known: FloatArray) -> FloatArray:
        return self._answer("log_evidence", (), by_row=as_known(known, self.unary.shape))

    def log_tilt(self, log_odds: FloatArray) -> FloatArray:
        return self._answer("log_tilt", (), by_row=as_tilt(log_odds, self.unary.shape))

    def _under(self, rules: LabelRules) -> tuple[Joint, FloatArray]:
        bound, log_prob = super()._under(rules)
        return bound, log_prob if self.exact else self._drawn().log_rules(rules)

    def _with_unary(self, unary: FloatArray) -> "RBMJoint":
        return RBMJoint(
            unary,
            self.coupling,
            self.hidden_bias,
            pair=self.pair,
            starts=self.starts,
            inference=self.inference,
            n_draws=self.n_draws,
            random_state=self.random_state,
        )

    def _answer(
        self,
        method: str,
        shape: tuple[int, ...],
        *arguments: int,
        by_row: FloatArray | None = None,
    ) -> FloatArray:
        """Return an answer (n, *shape) from the list of all sets, or from drawn hidden states.

        `by_row` (n, L) is an argument of which every block of rows gets its own.
        """
        answer = np.empty((len(self), *shape))
        own = self._listing_bytes() if self.exact else self._drawing_bytes()
        for rows, block in self.blocks(own + 16.0 * float(np.prod(shape))):
            parts = block._listed() if self.exact else block._drawn()
            given = arguments if by_row is None else (by_row[rows],)
            answer[rows] = getattr(parts, method)(*given)
        return answer

    def _listed(self) -> SupportJoint:
        """Return the distribution on the list of all sets."""
        log_weights = self._scores_of_all()
        log_weights -= logsumexp(log_weights, axis=1)[:, None]
        return SupportJoint(self._all.sets, log_weights)

    def _log_partition(self) -> FloatArray:
        return logsumexp(self._scores_of_all(), axis=1)

    def _scores_of_all(self) -> FloatArray:
        return self._own_scores(self._all.sets.astype(float)) + self._all.shared

    def _drawn(self) -> MixtureJoint:
        """Return the mixture of the labels' distributions given each of the drawn hidden states."""
        logits = np.empty((len(self), self.n_draws, self.n_labels))
        for draw, chain in enumerate(self._seeded_walk()):
            logits[:, draw] = chain.logits
        certain = np.isinf(self.unary)[:, None]
        logits = np.where(certain, self.unary[:, None], logits)
        return MixtureJoint(np.full(logits.shape[:2], -np.log(self.n_draws)), logits)

    def _seeded_walk(self) -> Iterator[GibbsChain]:
        rng = np.random.default_rng(self.random_state)
        return self._walk(self.n_draws, lambda width: rng.random((1, width)))

    def _walk(self, n_draws: int, random: Random) -> Iterator[GibbsChain]:
        """Yield the chains as often as there are draws; random(k) gives numbers (n or 1, k)."""
        free, unary = self._free()
        parameters = unary, self.coupling, self.hidden_bias, self._pair_array
        chain = GibbsChain(expit(self.unary), free, parameters, random)
        if self.starts is None:
            for sweep in range(-N_BURNED, n_draws):
                chain.step()
                if sweep >= 0:
                    yield chain
            return
        picks = pick(self._start_scores(), random(n_draws))
        for draw in range(n_draws):
            chain.restart(self.starts[picks[:, draw]])
            for _ in range(N_STEPS):
                chain.step()
            yield chain

    def _start_scores(self) -> FloatArray:
        """Return the log-scores of the starts (n, M), known labels counting `CERTAIN`."""
        own = np.clip(self.unary, -CERTAIN, CERTAIN)
        unary = np.where(np.isinf(self.unary), own, self.unary)
        scores: FloatArray = unary @ self._begin.sets.T.astype(float) + self._begin.shared
        return scores

    def _free(self) -> tuple[BoolArray, FloatArray]:
        """Return which labels are not certain, and finite log-odds: (n, L) both."""
        free = np.isfinite(self.unary)
        return free, np.where(free, self.unary, 0.0)

    @property
    def _n_random(self) -> int:
        return self.n_labels + len(self.hidden_bias)

    @property
    def _pair_array(self) -> FloatArray:
        return np.zeros((0, 0)) if self.pair is None else self.pair

    def _listing_bytes(self) -> float:
        return 40.0 * float(2**self.n_labels)

    def _drawing_bytes(self) -> float:
        return self._state_bytes() + 16.0 * self.n_draws * self.n_labels

    def _state_bytes(self) -> float:
        n_starts = 0 if self.starts is None else len(self.starts)
        return 64.0 * self._n_random + 16.0 * n_starts


def _mean_of_draws(joint: RBMJoint) -> FloatArray:
    total = np.zeros(joint.unary.shape)
    for chain in joint._seeded_walk():
        total += expit(chain.logits)
    return total / joint.n_draws


def _mean_field(joint: RBMJoint) -> FloatArray:
    free, unary = joint._free()
    start = expit(joint.unary)
    return kernels.fields.rbm.mean_field(
        start, free, unary, joint.coupling, joint.hidden_bias, joint.pair
    )
