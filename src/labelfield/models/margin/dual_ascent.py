"""Dual ascent for max-margin fields, one training row after the other.

Labels are signs; a term is a product of one, two or three of them. All rows share their features
psi over the terms, so the weights of a term are one vector: image[:, t] = sum_i psi_i / (alpha n)
times how much the term of row i's true set exceeds its mean under the row's dual variables. These
are weights on a short list of label sets, the true one first. The penalty is
Omega = |u|^2 / 2 + rho / 2 sum_g |w_g|^2 + (sum_g |w_g|)^2 / 2; group g counts the squared length
of term t with weight `shares[g, t]`, the free part u with `free[t]`.
"""

from typing import NamedTuple

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray
from labelfield.models.margin import sign_field

__all__ = [
    "Duals",
    "Penalty",
    "Rows",
    "ascend",
    "best_step",
    "group_ratios",
    "mean_excess",
    "mean_losses",
    "products",
    "term_scales",
]

MAX_EXCHANGES = 10
GOOD_ENOUGH = 0.1  # of the violation at the start of a visit
MAX_HALVINGS = 60


class Rows(NamedTuple):
    """Features psi in compressed sparse rows, their squared lengths, and the labels as signs."""

    data: FloatArray
    indices: IntArray
    indptr: IntArray
    squared: FloatArray  # (n,)
    signs: FloatArray  # (n, L)


class Duals(NamedTuple):
    """Label sets met so far, the true one first, and their weights, which sum to one per row."""

    sets: IntArray  # (n, C, L), signs
    weights: FloatArray  # (n, C); a slot of weight zero is free, except the first


class Penalty(NamedTuple):
    """Shares of the terms in the squared length of the free part and of every group."""

    free: FloatArray  # (A,)
    shares: FloatArray  # (G, A)
    rho: float


class _Scratch(NamedTuple):
    """Room for one visit."""

    scores: FloatArray  # (A,)
    scales: FloatArray  # (A,)
    weights: FloatArray  # (A,)
    direction: FloatArray  # (A,)
    moved: FloatArray  # (A,)
    products: FloatArray  # (C, A)
    losses: FloatArray  # (C,)
    violations: FloatArray  # (C,)
    signs: FloatArray  # (L,)
    ratios: FloatArray  # (G,)
    free: FloatArray  # (2,)
    groups: FloatArray  # (G, 3)


@compiled
def group_ratios(squares: FloatArray, rho: float, ratios: FloatArray) -> float:
    """Write |w_g| / |z_g| of every group for w = grad Omega*(z); return the sum of the |w_g|.

    squares (G,) are |z_g|^2. |w_g| = max(|z_g| - s, 0) / rho with s their sum: groups below s
    are taken out until none is; s only grows on the way. One group needs no rho.
    """
    lengths = np.sqrt(np.maximum(squares, 0.0))
    kept = np.ones(len(lengths), dtype=np.bool_)
    threshold = 0.0
    changed = True
    while changed:
        total, count = 0.0, 0
        for g in range(len(lengths)):
            if kept[g]:
                total += lengths[g]
                count += 1
        threshold = total / (rho + count) if count else 0.0
        changed = False
        for g in range(len(lengths)):
            if kept[g] and lengths[g] <= threshold and count > 1:
                kept[g] = False
                changed = True
    alone = kept.sum() == 1
    for g in range(len(lengths)):
        ratios[g] = 0.0
        if kept[g] and alone:
            ratios[g] = 1.0 / (1.0 + rho)
        elif kept[g]:
            ratios[g] = (lengths[g] - threshold) / (rho * lengths[g])
    return threshold


@compiled
def term_scales(penalty: Penalty, ratios: FloatArray, scales: FloatArray) -> None:
    """Write what the image of every active term is multiplied with to score: (A,)."""
    for t in range(len(scales)):
        scales[t] = penalty.free[t]
        for g in range(len(ratios)):
            scales[t] += ratios[g] * penalty.shares[g, t]


@compiled
def _slope(
    step: float, rise: float, free: FloatArray, groups: FloatArray, rho: float, ratios: FloatArray
) -> float:
    """Derivative of the dual (over alpha) along a direction.

    free (2,): inner product and squared length of the direction in the free part; groups (G, 3):
    |z_g|^2 and the same two for every group.
    """
    slope: float = rise - free[0] - step * free[1]
    squares = groups[:, 0] + step * (2.0 * groups[:, 1] + step * groups[:, 2])
    group_ratios(squares, rho, ratios)
    for g in range(len(groups)):
        slope -= ratios[g] * (groups[g, 1] + step * groups[g, 2])
    return slope


@compiled
def best_step(
    rise: float, free: FloatArray, groups: FloatArray, rho: float, ratios: FloatArray
) -> float:
    """Return the step in [0, 1] at which the dual is largest, for `_slope`'s arguments.

    The slope never rises: false position, halving the end that stays.
    """
    low, high = 0.0, 1.0
    at_low = _slope(0.0, rise, free, groups, rho, ratios)
    if at_low <= 0.0:
        return 0.0
    at_high = _slope(1.0, rise, free, groups, rho, ratios)
    if at_high >= 0.0:
        return 1.0
    goal = 1e-12 * at_low
    for _ in range(MAX_HALVINGS):
        step = low + (high - low) * at_low / (at_low - at_high)
        slope = _slope(step, rise, free, groups, rho, ratios)
        if abs(slope) <= goal or high - low < 1e-15:
            return step
        if slope > 0.0:
            low, at_low = step, slope
            at_high *= 0.5
        else:
            high, at_high = step, slope
            at_low *= 0.5
    return low


@compiled
def _fill_products(labels: IntArray, signs: FloatArray, terms: FloatArray) -> None:
    """Write the terms (A,) of one set of signs (L,); labels (A, 3), -1 where there are fewer."""
    for t in range(len(terms)):
        product = signs[labels[t, 0]]
        if labels[t, 1] >= 0:
            product *= signs[labels[t, 1]]
        if labels[t, 2] >= 0:
            product *= signs[labels[t, 2]]
        terms[t] = product


@compiled
def products(labels: IntArray, signs: FloatArray) -> FloatArray:
    """Return the terms (n, A) of sets of signs (n, L)."""
    terms = np.empty((len(signs), len(labels)))
    for i in range(len(signs)):
        _fill_products(labels, signs[i], terms[i])
    return terms


@compiled
def mean_excess(labels: IntArray, duals: Duals) -> FloatArray:
    """Return how much the terms of the true sets exceed their means under the duals: (n, A)."""
    n, n_slots, _ = duals.sets.shape
    excess, terms = np.empty((n, len(labels))), np.empty(len(labels))
    for i in range(n):
        _fill_products(labels, duals.sets[i, 0], excess[i])
        for c in range(n_slots):
            if duals.weights[i, c] > 0.0:
                _fill_products(labels, duals.sets[i, c], terms)
                for a in range(len(labels)):
                    excess[i, a] -= duals.weights[i, c] * terms[a]
    return excess


@compiled
def mean_losses(duals: Duals) -> FloatArray:
    """Return the mean Hamming loss of the sets under the duals: (n,)."""
    n, n_slots, _ = duals.sets.shape
    losses = np.zeros(n)
    for i in range(n):
        for c in range(n_slots):
            if duals.weights[i, c] > 0.0:
                losses[i] += duals.weights[i, c] * sign_field.n_different(
                    duals.sets[i, c], duals.sets[i, 0]
                )
    return losses


@compiled
def _measure(
    penalty: Penalty, at: _Scratch, unit: float, squared: float, groups: FloatArray
) -> None:
    """Write inner products and squared lengths of the direction into `at.free` and `groups`."""
    at.free[:] = 0.0
    groups[:, 1:] = 0.0
    for a in range(len(at.direction)):
        move = at.direction[a] * unit
        inner = move * at.scores[a]
        length = move * move * squared
        at.free[0] += penalty.free[a] * inner
        at.free[1] += penalty.free[a] * length
        for g in range(len(groups)):
            groups[g, 1] += penalty.shares[g, a] * inner
            groups[g, 2] += penalty.shares[g, a] * length


@compiled
def _scale_terms(penalty: Penalty, at: _Scratch) -> None:
    """Bring the weights of the terms in line with the scores and the lengths of the groups."""
    group_ratios(at.groups[:, 0], penalty.rho, at.ratios)
    term_scales(penalty, at.ratios, at.scales)
    for a in range(len(at.weights)):
        at.weights[a] = at.scales[a] * at.scores[a]


@compiled
def _slot_of(sets: IntArray, weights: FloatArray, signs: FloatArray) -> int:
    """Return where `signs` stand in the list of sets, having put them there; -1 if it is full."""
    free = -1
    for c in range(len(weights)):
        if (weights[c] > 0.0 or c == 0) and sign_field.n_different(sets[c], signs) == 0:
            return c
        if free < 0 and c > 0 and weights[c] <= 0.0:
            free = c
    if free >= 0:
        for j in range(len(signs)):
            sets[free, j] = np.int8(signs[j])
    return free


@compiled
def _extremes(at: _Scratch, weights: FloatArray, newcomer: int) -> tuple[int, int]:
    """Write the violations of the sets; return the most violated and the least one of weight."""
    high, low = -1, -1
    for c in range(len(weights)):
        if weights[c] <= 0.0 and c != newcomer and c != 0:
            continue
        violation = at.losses[c]
        for a in range(len(at.weights)):
            violation += at.weights[a] * (at.products[c, a] - at.products[0, a])
        at.violations[c] = violation
        if high < 0 or violation > at.violations[high]:
            high = c
        if weights[c] > 0.0 and (low < 0 or violation < at.violations[low]):
            low = c
    return high, low


@compiled
def _exchange(
    high: int, low: int, weights: FloatArray, penalty: Penalty, unit: float, squared: float,
    at: _Scratch,
) -> None:  # fmt: skip
    """Move weight from one listed set to another as far as the dual rises."""
    share = weights[low]
    for a in range(len(at.direction)):
        at.direction[a] = share * (at.products[low, a] - at.products[high, a])
    _measure(penalty, at, unit, squared, at.groups)
    rise = share * (at.losses[high] - at.losses[low]) * unit
    step = best_step(rise, at.free, at.groups, penalty.rho, at.ratios)
    weights[high] += step * share
    weights[low] = (1.0 - step) * share
    for g in range(len(at.groups)):
        at.groups[g, 0] += step * (2.0 * at.groups[g, 1] + step * at.groups[g, 2])
    for a in range(len(at.direction)):
        at.moved[a] += step * unit * at.direction[a]
        at.scores[a] += step * unit * at.direction[a] * squared


@compiled
def _visit(
    sets: IntArray,
    weights: FloatArray,
    labels: IntArray,
    field: sign_field.SignField,
    penalty: Penalty,
    unit: float,
    squared: float,
    room: sign_field.Tables,
    at: _Scratch,
) -> float:
    """Raise the dual in the variables of one row; return the row's gap before.

    `at.scores` are image' psi and `at.groups[:, 0]` the squared lengths of the groups; both are
    kept up to date, and `at.moved` is left as what the image moves by, per unit of psi.
    """
    at.moved[:] = 0.0
    _scale_terms(penalty, at)
    n_labels = len(at.signs)
    for j in range(n_labels):
        at.weights[j] -= 0.5 * sets[0, j]
    sign_field.fill_best_signs(field, at.weights, room, at.signs)
    for j in range(n_labels):
        at.weights[j] += 0.5 * sets[0, j]
    newcomer = _slot_of(sets, weights, at.signs)
    for c in range(len(weights)):
        if weights[c] > 0.0 or c == newcomer or c == 0:
            _fill_products(labels, sets[c], at.products[c])
            at.losses[c] = sign_field.n_different(sets[c], sets[0])
    gap, goal = 0.0, 0.0
    for k in range(MAX_EXCHANGES):
        high, low = _extremes(at, weights, newcomer)
        violation = at.violations[high] - at.violations[low]
        if k == 0:
            goal = GOOD_ENOUGH * violation
            gap = at.violations[high]
            for c in range(len(weights)):
                if weights[c] > 0.0:
                    gap -= weights[c] * at.violations[c]
        if violation <= (goal if k else 0.0):
            break
        _exchange(high, low, weights, penalty, unit, squared, at)
        _scale_terms(penalty, at)
    return gap


@compiled
def ascend(
    order: IntArray,
    rows: Rows,
    duals: Duals,
    labels: IntArray,
    field: sign_field.SignField,
    penalty: Penalty,
    unit: float,
    image: FloatArray,
    squares: FloatArray,
    gaps: FloatArray,
) -> None:
    """Visit the rows in `order` and raise the dual at each.

    unit = 1 / (alpha n); labels (A, 3) are the terms. duals, image (D, A) and squares (G,), the
    squared lengths of the groups of the image, are updated in place; gaps (n,) are those of the
    rows when they were last visited. A visit finds the row's most violated label set and moves
    weight between the listed ones by exact line search.
    """
    room = sign_field.make_tables(field)
    n_terms, n_groups, n_slots = len(labels), len(squares), duals.weights.shape[1]
    at = _Scratch(
        np.empty(n_terms),
        np.empty(n_terms),
        np.empty(n_terms),
        np.empty(n_terms),
        np.empty(n_terms),
        np.empty((n_slots, n_terms)),
        np.empty(n_slots),
        np.empty(n_slots),
        np.empty(rows.signs.shape[1]),
        np.empty(n_groups),
        np.empty(2),
        np.zeros((n_groups, 3)),
    )
    for g in range(n_groups):
        at.groups[g, 0] = squares[g]
    for i in order:
        at.scores[:] = 0.0
        for p in range(rows.indptr[i], rows.indptr[i + 1]):
            feature, value = rows.indices[p], rows.data[p]
            for a in range(n_terms):
                at.scores[a] += value * image[feature, a]
        gaps[i] = _visit(
            duals.sets[i], duals.weights[i], labels, field, penalty, unit, rows.squared[i], room, at
        )
        if not np.any(at.moved):
            continue
        for p in range(rows.indptr[i], rows.indptr[i + 1]):
            feature, value = rows.indices[p], rows.data[p]
            for a in range(n_terms):
                image[feature, a] += value * at.moved[a]
    for g in range(n_groups):
        squares[g] = at.groups[g, 0]
