"""The answer of `RandomMixedField.restore`: the table, uncertainties, what changed."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from labelfield.restore.inference.noise import Noise
from labelfield.restore.inference.posterior import Posterior
from labelfield.restore.tables.codec import EncodedTable, TableCodec
from labelfield.restore.tables.column import Column

__all__ = ["CellChange", "Restoration"]


@dataclass(frozen=True)
class CellChange:
    """One corrected cell: position, value before and after, and how unlikely the old one was.

    Examples
    --------
    >>> from labelfield.restore import CellChange
    >>> CellChange(row=3, column="colour", before="red", after="blue", amount=0.9, surprise=4.0)
    CellChange(row=3, column='colour', before='red', after='blue', amount=0.9, surprise=4.0)
    """

    row: int
    column: Any
    before: Any
    after: Any
    amount: float
    surprise: float


@dataclass(frozen=True)
class Restoration:
    """A restored table with what is known about every cell. All arrays are (n, n_columns).

    Attributes
    ----------
    table : the restored table, of the kind that was given
    filled, changed : bool ndarray
        Holes that were filled; observed cells that were given another value.
    amount : float ndarray
        How much an observed cell moved: a number in training standard deviations, a category by
        the probability that it was wrong. NaN for holes.
    surprise : float ndarray
        -log10 of the probability that a clean cell would be at least as unlikely as the observed
        one, given the rest of its row; infinite for a category training never showed. NaN for
        holes and constant columns.
    std : float ndarray or None
        Standard deviation of every number after restoring, in its own units (dates in days); NaN
        elsewhere.
    proba : dict of column name to ndarray of shape (n, L), or None
        Probabilities of the states of every categorical column; the order is in `states`.
    states : dict of column name to tuple
    noise_scale, flip_rate : dict of column name to float
        Noise that was assumed or estimated; scales in the column's own units, dates in days.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import RandomMixedField
    >>> clean = np.repeat([[0.0, 5.0], [1.0, 9.0]], 20, axis=0)
    >>> model = RandomMixedField(alpha=0.02, flip_rate=0.1, categorical=[1]).fit(clean)
    >>> result = model.restore(np.array([[1.0, 5.0], [0.0, np.nan]]))
    >>> result.table.tolist(), result.filled.sum(), result.changed.sum()
    ([[1.0, 9.0], [0.0, 5.0]], np.int64(1), np.int64(1))
    >>> result.changes()[0].before, result.changes()[0].after
    (5.0, 9.0)
    """

    table: Any
    filled: np.ndarray
    changed: np.ndarray
    amount: np.ndarray
    surprise: np.ndarray
    std: np.ndarray | None
    proba: dict | None
    states: dict
    noise_scale: dict
    flip_rate: dict
    _before: list = field(repr=False)
    _after: list = field(repr=False)

    @classmethod
    def of(
        cls,
        codec: TableCodec,
        table: Any,
        before: list[Column],
        after: list[Column],
        dirty: EncodedTable,
        noise: Noise,
        posterior: Posterior,
        surprise: np.ndarray,
    ) -> "Restoration":
        """Put together the posterior of the cells and the columns before and after."""
        shape = codec.shape
        filled = np.column_stack([column.missing for column in before])
        moved = np.column_stack([a.values != b.values for a, b in zip(before, after)])
        amount = _spread(codec, _amounts(dirty, posterior, shape.state_starts), np.nan)
        surprise = _spread(codec, surprise, np.nan)
        unknown = _spread(codec, ~dirty.observed(), False) & ~filled
        amount[unknown], surprise[unknown] = 1.0, np.inf
        no_std = np.full(dirty.codes.shape, np.nan)
        std = np.concatenate([np.sqrt(posterior.variance) * codec.scale, no_std], axis=1)
        bounds = np.append(shape.state_starts, sum(shape.n_states))[1:]
        numeric = [codec.names[j] for j in codec.numeric]
        nominal = [codec.names[j] for j in codec.categorical]
        return cls(
            table=table,
            filled=filled,
            changed=moved & ~filled,
            amount=amount,
            surprise=surprise,
            std=_spread(codec, std, np.nan),
            proba=dict(zip(nominal, np.split(posterior.proba, bounds, axis=1))),
            states=dict(zip(nominal, codec.states)),
            noise_scale=dict(zip(numeric, (noise.scale * codec.scale).tolist())),
            flip_rate=dict(zip(nominal, noise.flip_rate.tolist())),
            _before=before,
            _after=after,
        )

    def changes(self, limit=None) -> list[CellChange]:
        """Corrected cells, the most surprising first.

        Parameters
        ----------
        limit : int or None
            Return at most so many.
        """
        rows, columns = np.nonzero(self.changed)
        order = np.argsort(-self.surprise[rows, columns], kind="stable")[:limit]
        return [self._change(rows[i], columns[i]) for i in order]

    def _change(self, row, column) -> CellChange:
        before, after = self._before[column], self._after[column]
        return CellChange(
            int(row),
            before.name,
            before.cell(row),
            after.cell(row),
            float(self.amount[row, column]),
            float(self.surprise[row, column]),
        )


def _amounts(dirty: EncodedTable, posterior: Posterior, starts: np.ndarray) -> np.ndarray:
    """How much every observed cell moved, (n, mc + md), NaN for holes."""
    seen = np.take_along_axis(posterior.proba, np.maximum(dirty.codes, 0) + starts, axis=1)
    wrong = np.where(dirty.codes < 0, np.nan, 1.0 - seen)
    return np.concatenate([np.abs(posterior.mean - dirty.numbers), wrong], axis=1)


def _spread(codec: TableCodec, nodes: np.ndarray, fill) -> np.ndarray:
    """Put node columns in the order of the table: constants filled, spikes left out."""
    nodes = nodes[:, : len(codec.positions)]
    result = np.full((len(nodes), len(codec.names)), fill, dtype=nodes.dtype)
    result[:, list(codec.positions)] = nodes
    return result
