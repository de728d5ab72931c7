"""Why a cell was restored to what it is."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelfield.restore.inference.noise import Noise
from labelfield.restore.inference.posterior import Posterior
from labelfield.restore.net import MixedNet
from labelfield.restore.spikes import Spikes
from labelfield.restore.tables.codec import EncodedTable, TableCodec, best_states

__all__ = ["CellExplanation", "explain_cell"]

ITSELF = "(observed value)"


@dataclass(frozen=True)
class CellExplanation:
    """The evidence for the restored value of one cell.

    Attributes
    ----------
    column : name
    observed, restored : values; observed is None for a hole
    against : value or None
        For a category, the rival the evidence is measured against: the observed state where it
        was changed, else the runner-up. None for a number.
    baseline : float, or a date
        Before any evidence. For a number in its own units (what an average row would have), for a
        category the log-odds of `restored` against `against`.
    contributions : list of (column, float)
        What each neighbour adds to the baseline, largest first, in the same units (days where it
        is a date); the observed value itself is listed under "(observed value)". For a number
        baseline and contributions add up to the restored value; for a category they are its
        log-odds with every neighbour at its expected value.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import RandomMixedField
    >>> clean = np.repeat([[0.0, 5.0], [1.0, 9.0]], 20, axis=0)
    >>> model = RandomMixedField(alpha=0.02).fit(clean)
    >>> why = model.explain(np.array([[1.0, np.nan]]), row=0, column=1)
    >>> why.contributions[0][0], round(why.baseline), round(why.restored)
    (0, 7, 9)
    """

    column: Any
    observed: Any
    restored: Any
    against: Any
    baseline: float
    contributions: list[tuple[Any, float]]


def explain_cell(
    net: MixedNet,
    codec: TableCodec,
    spikes: Spikes,
    noise: Noise,
    dirty: EncodedTable,
    posterior: Posterior,
    frequency: np.ndarray,
    position: int,
) -> CellExplanation:
    """Explain the cell at table column `position` of a one-row table.

    The table and the noise include the spikes. `frequency` (K,) are the training frequencies of
    the states, an average row's indicators.
    """
    if position in codec.constant:
        value = codec.value(position, codec.constant[position])
        return CellExplanation(codec.names[position], None, value, None, float("nan"), [])
    if position in codec.numeric:
        return _explain_number(net, codec, spikes, noise, dirty, posterior, frequency, position)
    return _explain_state(net, codec, spikes, noise, dirty, posterior, frequency, position)


def _explain_number(net, codec, spikes, noise, dirty, posterior, frequency, position):
    s = codec.numeric.index(position)
    seen = dirty.numbers[0, s]
    own = 0.0 if np.isnan(seen) or noise.scale[s] == 0 else 1 / noise.scale[s] ** 2
    total = net.precision[s, s] + own
    unit = codec.scale[s] / total
    numbers = -net.precision[s] * posterior.mean[0]
    numbers[s] = 0.0
    states = net.mixed[s] * (posterior.proba[0] - frequency)
    parts = _by_node(spikes.node_names(codec), net, numbers * unit, states * unit)
    if own:
        parts.append((ITSELF, float(own * seen * unit)))
    baseline = codec.mean[s] + unit * (net.linear[s] + net.mixed[s] @ frequency)
    observed, restored = (
        float(z * codec.scale[s] + codec.mean[s]) for z in (seen, posterior.mean[0, s])
    )
    return CellExplanation(
        column=codec.names[position],
        observed=None if np.isnan(seen) else codec.value(position, observed),
        restored=codec.value(position, restored),
        against=None,
        baseline=codec.value(position, float(baseline)),
        contributions=_largest_first(parts),
    )


def _explain_state(net, codec, spikes, noise, dirty, posterior, frequency, position):
    j = codec.categorical.index(position)
    shape = net.shape
    start = shape.state_starts[j]
    states = codec.states[j]
    winner = int(best_states(posterior.proba, shape)[0, j])
    seen = int(dirty.codes[0, j])
    rival = seen
    if seen in (-1, winner):
        odds = posterior.log_elsewhere[0, start : start + len(states)].copy()
        odds[winner] = -np.inf
        rival = int(odds.argmax())
    a, b = start + winner, start + rival
    numbers = (net.mixed[:, a] - net.mixed[:, b]) * posterior.mean[0]
    coupling = net.pair[a] - net.pair[b]
    others = coupling * (posterior.proba[0] - frequency)
    parts = _by_node(spikes.node_names(codec), net, numbers, others)
    if seen >= 0:
        with np.errstate(divide="ignore"):
            evidence = np.log(noise.transition[j][seen])
        parts.append((ITSELF, float(evidence[winner] - evidence[rival])))
    return CellExplanation(
        column=codec.names[position],
        observed=None if seen < 0 else states[seen],
        restored=states[winner],
        against=states[rival],
        baseline=float(net.unary[a] - net.unary[b] + coupling @ frequency),
        contributions=_largest_first(parts),
    )


def _by_node(names, net, numbers, states):
    """Sum entries (mc,) and (K,) by node, with names; zeros are left out."""
    starts = net.shape.state_starts
    summed = np.add.reduceat(states, starts) if len(starts) else states
    values = np.concatenate([numbers, summed])
    return [(name, float(v)) for name, v in zip(names, values, strict=True) if v != 0]


def _largest_first(parts):
    return sorted(parts, key=lambda part: -abs(part[1]))
