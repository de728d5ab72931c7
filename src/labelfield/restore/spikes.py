"""Lowest or highest values that many rows share, such as no debt at all."""

from dataclasses import dataclass

import numpy as np

from labelfield._typing import FloatArray, IntArray
from labelfield.restore.inference.noise import Noise
from labelfield.restore.shape import FieldShape
from labelfield.restore.tables.codec import EncodedTable, TableCodec

__all__ = ["Spikes"]

SAME = 1e-6
FEWEST_VALUES = 10  # a number of fewer values is a scale, on which no value is special


@dataclass(frozen=True)
class Spikes:
    """Number columns whose lowest or highest value many training rows share.

    A Gaussian cannot express "exactly none". Each such column therefore has a node of two states
    beside it, behind the categorical ones: 1 where the number is at the value, else 0. It is seen
    where the number is seen without noise, and inferred elsewhere.

    Attributes
    ----------
    columns : int ndarray of shape (ms,)
        Which numbers.
    values : ndarray of shape (ms,)
        The value of each, standardised.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.restore.tables.codec import EncodedTable
    >>> from labelfield.restore.spikes import Spikes
    >>> cells = np.append(np.zeros(10), np.arange(10.0))[:, None]
    >>> debt = EncodedTable(cells, np.zeros((20, 0), int))
    >>> Spikes.find(debt, share=0.5).values
    array([0.])
    """

    columns: IntArray
    values: FloatArray

    @classmethod
    def find(cls, table: EncodedTable, share: float | None) -> "Spikes":
        """Columns of ten or more values, at least `share` of the known cells at one end of them."""
        found: dict[int, float] = {}
        for s, cells in enumerate(table.numbers.T if share is not None else ()):
            values, counts = np.unique(cells[~np.isnan(cells)], return_counts=True)
            if len(values) < FEWEST_VALUES:
                continue
            end = 0 if counts[0] >= counts[-1] else -1
            if counts[end] >= share * counts.sum():
                found[s] = float(values[end])
        return cls(np.array(list(found), dtype=np.int64), np.array(list(found.values())))

    def __len__(self) -> int:
        return len(self.columns)

    def node_shape(self, shape: FieldShape) -> FieldShape:
        """Widths of the nodes with those of the spikes behind, each apart from its own number.

        Where one of the two is seen, so is the other; coupled, they would distort each other
        where both are missing.
        """
        n_nodes = shape.n_numeric + len(shape.n_states)
        own = tuple((int(s), n_nodes + k) for k, s in enumerate(self.columns))
        return FieldShape(shape.n_numeric, shape.n_states + (2,) * len(self), own)

    def node_cells(self, table: EncodedTable, trusted=True) -> EncodedTable:
        """The table with a code per spike, -1 where the number is a hole or not `trusted` (mc,)."""
        numbers = table.numbers[:, self.columns]
        codes = (np.abs(numbers - self.values) < SAME).astype(np.int64)
        trusted = np.broadcast_to(trusted, table.numbers.shape[1])[self.columns]
        codes[np.isnan(numbers) | ~trusted] = -1
        return EncodedTable(table.numbers, np.concatenate([table.codes, codes], axis=1))

    def node_noise(self, noise: Noise) -> Noise:
        """The same noise; a spike that is seen is never wrong."""
        return Noise(noise.scale, noise.transition + (np.eye(2),) * len(self))

    def node_positions(self, codec: TableCodec) -> tuple[int, ...]:
        """Table position of every node: numbers, categories, and the columns that have spikes."""
        return codec.positions + tuple(codec.numeric[s] for s in self.columns)

    def node_names(self, codec: TableCodec) -> list:
        """Name of every node."""
        values = self.values * codec.scale[self.columns] + codec.mean[self.columns]
        positions = [codec.numeric[s] for s in self.columns]
        own = [
            f"{codec.names[p]} = {codec.value(p, v) if p in codec.clocks else format(v, 'g')}"
            for p, v in zip(positions, values)
        ]
        return [codec.names[p] for p in codec.positions] + own
