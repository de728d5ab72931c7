"""The k best label sets of a mixture of products, by the threshold algorithm.

Every component yields its own sets lazily, best first. A set no component has yielded so far has
at most the probability sum_k pi_k G_k, with G_k that of the next set of component k. Once k
sets reach this bound they are the best. The component with the largest pi_k G_k goes next.
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.kernels.sets.kbest import (
    NOT_RANKED,
    Flips,
    advance,
    flips_arena,
    log_best,
    start,
)

__all__ = ["best_sets"]

ROUNDING = 1e-6  # log-probabilities by flips are exact to far more digits


@compiled
def _log_sum(values: FloatArray) -> float:
    peak = -np.inf
    for value in values:
        peak = max(peak, value)
    if peak == -np.inf:
        return -np.inf
    total = 0.0
    for value in values:
        total += np.exp(value - peak)
    return float(peak + np.log(total))


@compiled
def _read_set(
    flips: Flips, node: int, logits: FloatArray, labels: IntArray, candidate: LabelArray
) -> None:
    """Write the set of one component (logits and labels (L,)) that `node` stands for."""
    n_labels = len(logits)
    for label in range(n_labels):
        candidate[label] = logits[label] > 0.0
    while flips[node].size > 0:
        candidate[labels[n_labels - 1 - flips[node].last]] ^= 1
        node = flips[node].prefix


@compiled
def _log_prob(
    candidate: LabelArray, log_tops: FloatArray, prices: FloatArray, log_terms: FloatArray
) -> float:
    """Return log p(candidate): every component's best set less the flips that lead here.

    prices (2, L, K): what a label costs each component when it is absent and when present.
    """
    for c in range(len(log_tops)):
        log_terms[c] = log_tops[c]
    for label in range(len(candidate)):
        price = prices[candidate[label], label]
        for c in range(len(log_tops)):
            log_terms[c] -= price[c]
    return _log_sum(log_terms)


@compiled
def _log_prob_by_flips(
    flips: Flips,
    node: int,
    of_best: FloatArray,
    logits: FloatArray,
    labels: IntArray,
    prices: FloatArray,
    log_terms: FloatArray,
) -> float:
    """Return log p of the set of one component that `node` stands for, up to rounding.

    of_best (K,): the log-terms of the component's best set; logits and labels (L,) are its own.
    Not a number where certain labels are flipped back and forth.
    """
    n_labels = len(logits)
    for c in range(len(of_best)):
        log_terms[c] = of_best[c]
    while flips[node].size > 0:
        label = labels[n_labels - 1 - flips[node].last]
        before = 1 if logits[label] > 0.0 else 0
        paid, price = prices[before, label], prices[1 - before, label]
        for c in range(len(of_best)):
            log_terms[c] += paid[c] - price[c]
        node = flips[node].prefix
    return _log_sum(log_terms)


@compiled
def _n_different(a: LabelArray, b: LabelArray) -> int:
    count = 0
    for label in range(len(a)):
        count += a[label] != b[label]
    return count


@compiled
def _copy(source: LabelArray, target: LabelArray) -> None:
    for label in range(len(source)):
        target[label] = source[label]


@compiled
def _insert(
    candidate: LabelArray, score: float, sets: LabelArray, scores: FloatArray, n_found: int
) -> int:
    """Keep `candidate` if it is new and among the best; return how many are kept.

    A set that two components yield gets the same score to the last bit, so only ties can repeat.
    """
    k = len(scores)
    if n_found == k and score <= scores[k - 1]:
        return n_found
    rank = n_found
    while rank > 0 and scores[rank - 1] < score:
        rank -= 1
    twin = rank - 1
    while twin >= 0 and scores[twin] == score:
        if _n_different(sets[twin], candidate) == 0:
            return n_found
        twin -= 1
    n_found = min(n_found + 1, k)
    for t in range(n_found - 1, rank, -1):
        _copy(sets[t - 1], sets[t])
        scores[t] = scores[t - 1]
    _copy(candidate, sets[rank])
    scores[rank] = score
    return n_found


@compiled
def _furthest_ahead(ahead: FloatArray, roots: IntArray) -> int:
    """Return the component whose next set weighs most, or -1 when all lists have ended."""
    chosen = -1
    for c in range(len(ahead)):
        if roots[c] >= 0 and (chosen < 0 or ahead[c] > ahead[chosen]):
            chosen = c
    return chosen


@compiled
def _search_row(
    log_weights: FloatArray,
    logits: FloatArray,
    flips: Flips,
    allow_empty: bool,
    sets: LabelArray,
    scores: FloatArray,
) -> bool:
    """Fill sets (k, L) and scores (k,) for one mixture; return whether they are proven best."""
    n_components, n_labels = logits.shape
    costs = np.empty((n_components, n_labels))
    prices = np.empty((2, n_labels, n_components))
    labels = np.empty((n_components, n_labels), np.int64)
    n_waiting = np.empty(n_components, np.int64)
    roots = np.empty(n_components, np.int64)
    log_tops = np.empty(n_components)
    ahead = np.empty(n_components)
    for c in range(n_components):
        log_tops[c] = log_weights[c] + log_best(logits[c], costs[c])
        ahead[c] = log_tops[c]
        roots[c] = start(flips, c)
        n_waiting[c] = NOT_RANKED
        for label in range(n_labels):
            prices[0, label, c] = max(logits[c, label], 0.0)
            prices[1, label, c] = max(-logits[c, label], 0.0)
    log_terms = np.empty(n_components)
    of_best = np.empty((n_components, n_components))
    candidate = np.empty(n_labels, np.uint8)
    used, n_found = n_components, 0
    while used + 2 <= len(flips):
        if n_found == len(scores) and _log_sum(ahead) <= scores[-1]:
            return True
        c = _furthest_ahead(ahead, roots)
        if c < 0:
            return True
        is_best = flips[roots[c]].size == 0
        # Most sets are far from the best: a few flips show that without looking at all labels.
        may_enter = is_best or n_found < len(scores)
        if not may_enter:
            own = of_best[c], logits[c], labels[c]
            rough = _log_prob_by_flips(flips, roots[c], *own, prices, log_terms)
            may_enter = not rough < scores[-1] - ROUNDING
        if may_enter:
            _read_set(flips, roots[c], logits[c], labels[c], candidate)
        roots[c], used, n_waiting[c] = advance(
            flips, used, roots[c], labels[c], costs[c], n_waiting[c]
        )
        ahead[c] = log_tops[c] - flips[roots[c]].cost if roots[c] >= 0 else -np.inf
        if not may_enter:
            continue
        score = _log_prob(candidate, log_tops, prices, log_terms)
        if is_best:
            for other in range(n_components):
                of_best[c, other] = log_terms[other]
        if allow_empty or candidate.any():
            n_found = _insert(candidate, score, sets, scores, n_found)
    return False


@compiled
def best_sets(
    log_weights: FloatArray, logits: FloatArray, k: int, allow_empty: bool, max_visits: int
) -> tuple[LabelArray, FloatArray, BoolArray]:
    """Return the k best sets of each mixture, their log-probabilities and which rows are proven.

    log_weights (n, K); logits (n, K, L), infinite where a label is certain; k at most the number
    of sets. A row stops without proof after `max_visits` sets plus k per component. With
    `allow_empty` false the empty set still moves the bound but is never an answer.
    Returns sets (n, k, L), log_prob (n, k) best first, proven (n,).
    """
    n_rows, n_components, n_labels = logits.shape
    sets = np.empty((n_rows, k, n_labels), np.uint8)
    log_prob = np.empty((n_rows, k))
    proven = np.empty(n_rows, np.bool_)
    flips = flips_arena(2 * (max_visits + n_components * (k + 2)))
    for i in range(n_rows):
        proven[i] = _search_row(log_weights[i], logits[i], flips, allow_empty, sets[i], log_prob[i])
    return sets, log_prob, proven
