"""Sum-product messages as ratios rather than their logs: some seven times faster, pairs only.

Neither exponentials nor logs are needed then, and all loops vectorise. Damping by one half is a
square root; other dampings, larger cliques and log-odds near the limits of floating point are left
to the logs.
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray
from labelfield.kernels.fields.cliques import Cliques

__all__ = ["pass_ratios", "ratios_are_safe"]

MAX_LOG_ODDS = 600.0


@compiled
def ratios_are_safe(
    graph: Cliques, unary: FloatArray, coupling: FloatArray, damping: float
) -> bool:
    """Return whether no ratio can over- or underflow; unary (L, tile), coupling (C, tile)."""
    if damping != 0.0 and damping != 0.5:
        return False
    if len(graph.members) != 2 * coupling.shape[0]:
        return False
    for lane in range(unary.shape[1]):
        for label in range(len(graph.starts) - 1):
            reach, strongest = abs(unary[label, lane]), 0.0
            for q in range(graph.starts[label], graph.starts[label + 1]):
                size = abs(coupling[graph.incident[q], lane])
                reach += size
                strongest = max(strongest, size)
            if not reach + strongest < MAX_LOG_ODDS:
                return False
    return True


@compiled
def _renew(
    weight: FloatArray,
    cavity: FloatArray,
    message: FloatArray,
    step: FloatArray,
    halve: bool,
    factor: FloatArray,
    change: FloatArray,
) -> None:
    """Renew a message (tile,) from the odds of the other label; `factor` is what it gains.

    Steps are 0 where a row has settled; else `halve` says whether they are 1/2 or 1.
    """
    for lane in range(len(step)):
        gain = (1.0 + weight[lane] * cavity[lane]) / ((1.0 + cavity[lane]) * message[lane])
        size = abs(gain - 1.0)
        change[lane] = 0.5 * (change[lane] + size + abs(change[lane] - size))
        damped = np.sqrt(gain) if halve else gain
        factor[lane] = damped if step[lane] > 0.0 else 1.0
    for lane in range(len(step)):
        message[lane] *= factor[lane]


@compiled
def pass_ratios(
    graph: Cliques,
    weight: FloatArray,
    odds: FloatArray,
    moved: FloatArray,
    message: FloatArray,
    step: FloatArray,
    halve: bool,
    backwards: bool,
    change: FloatArray,
) -> None:
    """Renew all messages once; `moved` collects the factors of the odds and may be `odds` itself.

    weight (C, tile) holds exp(coupling); odds (L, tile); message (2 C, tile).
    """
    n_cliques = weight.shape[0]
    cavity, factor = np.empty((2, len(step))), np.empty((2, len(step)))
    for turn in range(n_cliques):
        c = n_cliques - 1 - turn if backwards else turn
        first, second = graph.members[2 * c], graph.members[2 * c + 1]
        for lane in range(len(step)):
            cavity[0, lane] = odds[first, lane] / message[2 * c, lane]
            cavity[1, lane] = odds[second, lane] / message[2 * c + 1, lane]
        _renew(weight[c], cavity[1], message[2 * c], step, halve, factor[0], change)
        _renew(weight[c], cavity[0], message[2 * c + 1], step, halve, factor[1], change)
        for lane in range(len(step)):
            moved[first, lane] *= factor[0, lane]
        for lane in range(len(step)):
            moved[second, lane] *= factor[1, lane]
