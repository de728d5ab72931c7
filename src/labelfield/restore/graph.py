"""The learned graph: which columns inform which."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelfield._optional import require
from labelfield.restore.net import MixedNet
from labelfield.restore.spikes import Spikes
from labelfield.restore.tables.codec import TableCodec

__all__ = ["MixedGraph"]

MARKS = {
    "numeric": ("o", "tab:blue"),
    "categorical": ("s", "tab:orange"),
    "constant": ("x", "0.6"),
    "date": ("D", "tab:green"),
    "duration": ("d", "tab:green"),
}


@dataclass(frozen=True)
class MixedGraph:
    """Columns and the strength of every pairwise coupling.

    Attributes
    ----------
    names : tuple
        Columns in the order of the table.
    kinds : tuple of {"numeric", "categorical", "constant", "date", "duration"}
    weights : ndarray of shape (n_columns, n_columns)
        Symmetric; Frobenius norm of the coupling of two columns, 0 where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.restore import MixedGraph
    >>> graph = MixedGraph(("age", "sex"), ("numeric", "categorical"), np.array([[0, 2], [2, 0.0]]))
    >>> graph.edges()
    [('age', 'sex', 2.0)]
    """

    names: tuple
    kinds: tuple[str, ...]
    weights: np.ndarray

    @classmethod
    def of_net(cls, net: MixedNet, codec: TableCodec, spikes: Spikes) -> "MixedGraph":
        """Graph of a learned net over the columns of its table; a spike is part of its column."""
        mc = len(net.linear)
        coupling = np.block([[-net.precision, net.mixed], [net.mixed.T, net.pair]])
        coupling[range(mc), range(mc)] = 0.0
        size = len(codec.names)
        squares = np.zeros((size, size))
        if codec.positions:
            nodes = spikes.node_positions(codec)
            norms = net.shape.block_norms(coupling)
            np.add.at(squares, np.ix_(nodes, nodes), norms**2)
            np.fill_diagonal(squares, 0.0)
        return cls(codec.names, tuple(row["kind"] for row in codec.schema()), np.sqrt(squares))

    def edges(self) -> list[tuple[Any, Any, float]]:
        """Coupled pairs of columns with their weight, the strongest first."""
        i, j = np.nonzero(np.triu(self.weights, 1))
        order = np.argsort(-self.weights[i, j], kind="stable")
        return [
            (self.names[i[e]], self.names[j[e]], float(self.weights[i[e], j[e]])) for e in order
        ]

    def neighbors(self, column) -> list[tuple[Any, float]]:
        """Columns coupled to one column, the strongest first."""
        if column not in self.names:
            raise ValueError(f"There is no column {column!r}; the graph has {list(self.names)}.")
        row = self.weights[self.names.index(column)]
        order = np.argsort(-row, kind="stable")
        return [(self.names[j], float(row[j])) for j in order if row[j] > 0]

    def to_networkx(self):
        """The graph as a networkx.Graph with `kind` on nodes and `weight` on edges."""
        nx = require("networkx", "viz")

        graph = nx.Graph()
        for name, kind in zip(self.names, self.kinds):
            graph.add_node(name, kind=kind)
        graph.add_weighted_edges_from(self.edges())
        return graph

    def plot(self, ax=None, *, max_edges=40):
        """Draw the strongest edges on a circle of columns, coupled columns close together.

        Parameters
        ----------
        ax : matplotlib Axes or None
        max_edges : int, default 40

        Returns
        -------
        matplotlib Axes
        """
        if ax is None:
            plt = require("matplotlib.pyplot", "viz")

            ax = plt.figure(figsize=(6.4, 6.4), layout="constrained").add_subplot()
        position = dict(zip(self.names, self._circle()))
        drawn = self.edges()[:max_edges]
        top = drawn[0][2] if drawn else 1.0
        for first, second, weight in drawn:
            ends = np.array([position[first], position[second]])
            ax.plot(*ends.T, color="0.35", linewidth=0.5 + 4 * weight / top, alpha=0.6, zorder=1)
        for kind, (marker, color) in MARKS.items():
            spots = [position[name] for name, own in zip(self.names, self.kinds) if own == kind]
            if spots:
                ax.scatter(*zip(*spots), marker=marker, color=color, s=80, zorder=2, label=kind)
        for name, spot in position.items():
            x, y = 1.08 * spot
            side = "left" if x > 0.1 else "right" if x < -0.1 else "center"
            ax.text(x, y, str(name), ha=side, va="center")
        ax.set(xlim=(-1.5, 1.5), ylim=(-1.2, 1.2), aspect="equal")
        ax.set_axis_off()
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3, frameon=False)
        return ax

    def _circle(self):
        """Positions (n_columns, 2) on a circle, coupled columns close together."""
        size = len(self.names)
        # a faint coupling of everything, so that columns without edges have a position too
        weights = self.weights + 1e-3 * max(self.weights.max(initial=0.0), 1.0)
        _, modes = np.linalg.eigh(np.diag(weights.sum(axis=1)) - weights)
        around = np.arctan2(modes[:, 2 % size], modes[:, 1 % size])
        turn = 2 * np.pi * np.argsort(np.argsort(around, kind="stable")) / size
        return np.column_stack([np.cos(turn), np.sin(turn)])
