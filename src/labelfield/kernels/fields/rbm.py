"""Restricted Boltzmann machines over label sets: scores, mean field, ascent, flips, draws.

Everywhere F(y) = unary . y + sum_j softplus(hidden_bias_j + y . coupling_j) + y . pair y with
unary (n, L), coupling (L, J), hidden_bias (J,) and pair (L, L), symmetric, or None for none.
Entries of y where `free` (n, L) is false are left as they are.
"""

import numpy as np
from scipy.special import expit

from labelfield._compile import compiled
from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray

__all__ = [
    "adagrad_step",
    "ascend",
    "field",
    "flip_gains",
    "gibbs_sweep",
    "greedy_flips",
    "mean_field",
    "score",
]

SUFFICIENT = 1e-4
SMALLEST_STEP = 1e-10
LARGEST_STEP = 1e6
FIRST_STEP = 1.0
DAMPING = 1e-8  # keeps the first steps of labels that a batch hardly holds small
UNITS_A_LOGARITHM = 5  # products of so many exp(coupling) do not overflow below couplings of 140


def score(
    Y: FloatArray,
    unary: FloatArray,
    coupling: FloatArray,
    hidden_bias: FloatArray,
    pair: FloatArray | None = None,
) -> FloatArray:
    """Return F of label vectors Y (n, L) in [0, 1]: (n,)."""
    hidden = np.logaddexp(0.0, Y @ coupling + hidden_bias).sum(axis=1)
    total: FloatArray = (Y * unary).sum(axis=1) + hidden
    if pair is not None:
        total += (Y * (Y @ pair)).sum(axis=1)
    return total


def field(
    Y: FloatArray,
    unary: FloatArray,
    coupling: FloatArray,
    hidden_bias: FloatArray,
    pair: FloatArray | None = None,
) -> FloatArray:
    """Return the gradient of F at Y (n, L): (n, L)."""
    slope: FloatArray = expit(Y @ coupling + hidden_bias) @ coupling.T
    slope += unary
    if pair is not None:
        slope += 2.0 * (Y @ pair)
    return slope


def mean_field(
    Y: FloatArray,
    free: BoolArray,
    unary: FloatArray,
    coupling: FloatArray,
    hidden_bias: FloatArray,
    pair: FloatArray | None = None,
    n_rounds: int = 30,
    tol: float = 1e-4,
) -> FloatArray:
    """Return means after damped rounds m <- (m + sigmoid(field(m))) / 2 from Y (n, L).

    Rows whose means move by less than `tol` are left alone from then on.
    """
    means = Y.copy()
    moving = np.arange(len(Y))
    for _ in range(n_rounds):
        now = means[moving]
        slope = field(now, unary[moving], coupling, hidden_bias, pair)
        new = np.where(free[moving], 0.5 * (now + expit(slope)), now)
        means[moving] = new
        moving = moving[np.abs(new - now).max(axis=1, initial=0.0) > tol]
        if not len(moving):
            break
    return means


def ascend(
    Y: FloatArray,
    free: BoolArray,
    unary: FloatArray,
    coupling: FloatArray,
    hidden_bias: FloatArray,
    pair: FloatArray | None = None,
    max_iter: int = 200,
    tol: float = 1e-5,
) -> tuple[FloatArray, list[FloatArray]]:
    """Climb F inside the box [0, 1]^L by projected gradient steps with backtracking.

    Every row has its own step, at first twice its last one, halved until F rises by `SUFFICIENT`
    of what the gradient promises. Returns the end points (n, L) and F (n,) at the start and after
    every iteration.
    """
    Y = Y.copy()
    steps = np.full(len(Y), FIRST_STEP / 2.0)
    values = score(Y, unary, coupling, hidden_bias, pair)
    history = [values.copy()]
    moving = np.arange(len(Y))
    for _ in range(max_iter):
        steps[moving] = np.minimum(2.0 * steps[moving], LARGEST_STEP)
        before = Y[moving]
        slope = field(before, unary[moving], coupling, hidden_bias, pair)
        slope[~free[moving]] = 0.0
        open_rows = np.arange(len(moving))
        after, value = before.copy(), values[moving]
        while len(open_rows):
            rows = moving[open_rows]
            trial = before[open_rows] + steps[rows, None] * slope[open_rows]
            np.clip(trial, 0.0, 1.0, out=trial)
            new = score(trial, unary[rows], coupling, hidden_bias, pair)
            promised = (slope[open_rows] * (trial - before[open_rows])).sum(axis=1)
            good = new >= values[rows] + SUFFICIENT * promised
            after[open_rows[good]], value[open_rows[good]] = trial[good], new[good]
            steps[rows[~good]] *= 0.5
            open_rows = open_rows[~good & (steps[rows] > SMALLEST_STEP)]
        Y[moving], values[moving] = after, value
        history.append(values.copy())
        moving = moving[np.abs(after - before).max(axis=1, initial=0.0) > tol]
        if not len(moving):
            break
    return Y, history


@compiled
def _row_gains(
    y: LabelArray,
    unary: FloatArray,
    rise: FloatArray,
    fall: FloatArray,
    activation: FloatArray,
    related: FloatArray,
    diagonal: FloatArray,
    gains: FloatArray,
) -> None:
    """Write into gains (L,) what flipping each label adds to F; activation (J,), related (L,).

    softplus(a + g) - softplus(a) = log(1 + sigmoid(a) (exp(g) - 1)), and a logarithm serves
    several hidden units: rise and fall (L, J) are exp(coupling) - 1 and exp(-coupling) - 1.
    """
    n_labels, n_hidden = rise.shape
    on = 1.0 / (1.0 + np.exp(-activation))
    for label in range(n_labels):
        sign = 1.0 - 2.0 * y[label]
        change = fall[label] if y[label] else rise[label]
        gain = sign * (unary[label] + 2.0 * related[label]) + diagonal[label]
        product, count = 1.0, 0
        for j in range(n_hidden):
            product *= 1.0 + on[j] * change[j]
            count += 1
            if count == UNITS_A_LOGARITHM:
                gain += np.log(product)
                product, count = 1.0, 0
        gains[label] = gain + np.log(product)


@compiled
def _activate(
    y: LabelArray, coupling: FloatArray, hidden_bias: FloatArray, activation: FloatArray
) -> None:
    for j in range(len(activation)):
        activation[j] = hidden_bias[j]
    for label in range(len(y)):
        if y[label]:
            activation += coupling[label]


@compiled
def _relate(y: LabelArray, pair: FloatArray, related: FloatArray) -> None:
    related[:] = 0.0
    if pair.size:
        for label in range(len(y)):
            if y[label]:
                related += pair[label]


@compiled
def flip_gains(
    Y: LabelArray,
    unary: FloatArray,
    coupling: FloatArray,
    hidden_bias: FloatArray,
    pair: FloatArray,
) -> FloatArray:
    """Return what flipping each single label of the sets Y (n, L) adds to F: (n, L).

    No pairs are an array of shape (0, 0).
    """
    n_labels, n_hidden = coupling.shape
    gains = np.empty(unary.shape)
    rise, fall = np.expm1(coupling), np.expm1(-coupling)
    activation, related, diagonal = np.empty(n_hidden), np.zeros(n_labels), np.zeros(n_labels)
    if pair.size:
        for label in range(n_labels):
            diagonal[label] = pair[label, label]
    for i in range(len(Y)):
        _activate(Y[i], coupling, hidden_bias, activation)
        _relate(Y[i], pair, related)
        _row_gains(Y[i], unary[i], rise, fall, activation, related, diagonal, gains[i])
    return gains


@compiled
def greedy_flips(
    Y: LabelArray,
    free: BoolArray,
    unary: FloatArray,
    coupling: FloatArray,
    hidden_bias: FloatArray,
    pair: FloatArray,
) -> None:
    """Flip the label of each set Y (n, L) that raises F most until none does; in place."""
    n_labels, n_hidden = coupling.shape
    gains, diagonal = np.empty(n_labels), np.zeros(n_labels)
    rise, fall = np.expm1(coupling), np.expm1(-coupling)
    activation, related = np.empty(n_hidden), np.zeros(n_labels)
    if pair.size:
        for label in range(n_labels):
            diagonal[label] = pair[label, label]
    for i in range(len(Y)):
        while True:
            _activate(Y[i], coupling, hidden_bias, activation)
            _relate(Y[i], pair, related)
            _row_gains(Y[i], unary[i], rise, fall, activation, related, diagonal, gains)
            best, chosen = 1e-12, -1
            for label in range(n_labels):
                if free[i, label] and gains[label] > best:
                    best, chosen = gains[label], label
            if chosen < 0:
                break
            Y[i, chosen] = 1 - Y[i, chosen]


@compiled
def _add_rows(total: FloatArray, rows: FloatArray, chosen: IntArray) -> None:
    """Add the chosen rows (J, L) to total (L,), four at a time to write it less often."""
    k = 0
    while k + 4 <= len(chosen):
        first, second = rows[chosen[k]], rows[chosen[k + 1]]
        third, fourth = rows[chosen[k + 2]], rows[chosen[k + 3]]
        for i in range(len(total)):
            total[i] += (first[i] + second[i]) + (third[i] + fourth[i])
        k += 4
    while k < len(chosen):
        first = rows[chosen[k]]
        for i in range(len(total)):
            total[i] += first[i]
        k += 1


@compiled
def gibbs_sweep(
    Y: LabelArray,
    free: BoolArray,
    unary: FloatArray,
    coupling: FloatArray,
    hidden_bias: FloatArray,
    pair: FloatArray,
    transposed: FloatArray,
    bars: FloatArray,
    logits: FloatArray,
) -> None:
    """Draw hidden units given the sets Y (n, L), then labels given them; in place.

    transposed (J, L) is the coupling once more. A unit is on if its log-odds exceed its bar: bars
    (m, J + L) hold logistic random numbers, row i taking those of row i mod m. Writes the log-odds
    that each label was drawn from into logits (n, L).
    """
    n_labels, n_hidden = coupling.shape
    activation, related = np.empty(n_hidden), np.zeros(n_labels)
    on = np.empty(n_hidden, dtype=np.int64)
    for i in range(len(Y)):
        y, odds, bar = Y[i], logits[i], bars[i % len(bars)]
        _activate(y, coupling, hidden_bias, activation)
        for label in range(n_labels):
            odds[label] = unary[i, label]
        n_on = 0
        for j in range(n_hidden):
            if activation[j] > bar[j]:
                on[n_on] = j
                n_on += 1
        _add_rows(odds, transposed, on[:n_on])
        _relate(y, pair, related)
        for label in range(n_labels):
            if pair.size:
                own = pair[label, label]
                odds[label] += 2.0 * (related[label] - own * y[label]) + own
            if free[i, label]:
                new = 1 if odds[label] > bar[n_hidden + label] else 0
                if pair.size and new != y[label]:
                    related += (new - 1.0 * y[label]) * pair[label]
                y[label] = new


@compiled
def adagrad_step(
    weights: FloatArray, gradient: FloatArray, squares: FloatArray, rate: float, decay: float
) -> None:
    """Climb along gradient - decay * weights, each entry by its own rate; all flat, in place."""
    for i in range(weights.size):
        slope = gradient[i] - decay * weights[i]
        squares[i] += slope * slope
        weights[i] += rate * slope / np.sqrt(squares[i] + DAMPING)
