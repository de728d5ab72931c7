"""The graph of labels that a model learned."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelfield._optional import require
from labelfield._shown import as_html
from labelfield._typing import FloatArray, IntArray

__all__ = ["LabelGraph"]


SHOWN = 10  # links of a repr in a notebook


@dataclass(frozen=True, repr=False)
class LabelGraph:
    """Labels and the signed weights of the links between them.

    Attributes
    ----------
    names : tuple of str, length L
    pairs : int array of shape (E, 2)
        Linked labels, the lower first; strongest links first.
    weights : array of shape (E,)
        Positive where two labels call for each other, negative where they exclude each other.
    title, explanation : str
        What a report says about the links.

    Examples
    --------
    >>> from labelfield import LabelGraph
    >>> matrix = [[0, 2.0, 0], [2.0, 0, -0.5], [0, -0.5, 0]]
    >>> graph = LabelGraph.from_matrix(["sea", "beach", "snow"], matrix)
    >>> graph.edges()
    [('sea', 'beach', 2.0), ('beach', 'snow', -0.5)]
    >>> graph.neighbors("snow")
    [('beach', -0.5)]
    >>> round(graph.density, 3)
    0.667
    """

    names: tuple[str, ...]
    pairs: IntArray
    weights: FloatArray
    title: str = "Label graph of the model"
    explanation: str = "Links are what the model learned about labels."

    def __post_init__(self) -> None:
        names = tuple(str(name) for name in self.names)
        pairs = np.asarray(self.pairs, dtype=np.intp).reshape(-1, 2)
        weights = np.asarray(self.weights, dtype=np.float64)
        if len(set(names)) < len(names):
            raise ValueError("names of labels must be all different.")
        if weights.shape != (len(pairs),) or not np.isfinite(weights).all():
            raise ValueError(
                f"weights must hold one finite number per pair: {len(pairs)} pairs, got shape "
                f"{weights.shape}."
            )
        pairs = np.sort(pairs, axis=1)
        if len(pairs) and (pairs.min() < 0 or pairs.max() >= len(names)):
            raise ValueError(f"pairs must name labels 0 to {len(names) - 1}.")
        if (pairs[:, 0] == pairs[:, 1]).any() or len(np.unique(pairs, axis=0)) < len(pairs):
            raise ValueError("pairs must be all different and of two different labels.")
        strongest = np.argsort(-np.abs(weights), kind="stable")
        strongest = strongest[weights[strongest] != 0]
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "pairs", pairs[strongest])
        object.__setattr__(self, "weights", weights[strongest])

    @classmethod
    def from_matrix(cls, names: Sequence[Any], matrix: Any, **texts: str) -> "LabelGraph":
        """Return the graph of a symmetric matrix of weights (L, L); its diagonal is not read."""
        matrix = np.asarray(matrix, dtype=np.float64)
        if matrix.shape != (len(names), len(names)):
            raise ValueError(f"matrix has shape {matrix.shape} for {len(names)} labels.")
        if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
            raise ValueError("matrix must be finite and symmetric: one number per pair of labels.")
        first, second = np.triu_indices(len(names), k=1)
        return cls(tuple(names), np.stack([first, second], axis=1), matrix[first, second], **texts)

    @property
    def density(self) -> float:
        """Share of the pairs of labels that are linked."""
        n_pairs = len(self.names) * (len(self.names) - 1) / 2
        return len(self.pairs) / n_pairs if n_pairs else 0.0

    def edges(self) -> list[tuple[str, str, float]]:
        """Return the links as (label, label, weight), the strongest first."""
        return [
            (self.names[a], self.names[b], float(weight))
            for (a, b), weight in zip(self.pairs, self.weights)
        ]

    def neighbors(self, label: str) -> list[tuple[str, float]]:
        """Return the labels linked to one label and the weights, the strongest first."""
        if label not in self.names:
            raise ValueError(f"There is no label {label!r}; the graph has {list(self.names)}.")
        return [
            (second if first == label else first, weight)
            for first, second, weight in self.edges()
            if label in (first, second)
        ]

    def matrix(self) -> FloatArray:
        """Return the weights as a symmetric matrix (L, L) with zeros where there is no link."""
        matrix = np.zeros((len(self.names), len(self.names)))
        matrix[self.pairs[:, 0], self.pairs[:, 1]] = self.weights
        return matrix + matrix.T

    def strongest(self, n_links: int) -> "LabelGraph":
        """Return the graph with only its strongest links."""
        kept = self.pairs[:n_links], self.weights[:n_links]
        return LabelGraph(self.names, *kept, self.title, self.explanation)

    def __repr__(self) -> str:
        strongest = "".join(
            f", {weight:+.2f} {first!r}-{second!r}"
            for first, second, weight in self.strongest(1).edges()
        )
        return f"LabelGraph({len(self.names)} labels, {len(self.pairs)} links{strongest})"

    def _repr_html_(self) -> str:
        shown = self.strongest(SHOWN).edges()
        rows = [[first, second, f"{weight:+.3f}"] for first, second, weight in shown]
        left = len(self.pairs) - len(rows)
        counted = f"{self.title}: {len(self.names)} labels, {len(self.pairs)} links"
        caption = f"{counted}, the {SHOWN} strongest" if left else counted
        return as_html(["label", "label", "weight"], rows, caption)

    def to_networkx(self) -> Any:
        """Return a networkx.Graph with the attribute `weight` on its edges."""
        graph = require("networkx", "viz").Graph()
        graph.add_nodes_from(self.names)
        graph.add_weighted_edges_from(self.edges())
        return graph

    def plot(
        self,
        ax: Any = None,
        *,
        threshold: float | None = None,
        order: Sequence[str] | None = None,
    ) -> Any:
        """Draw the links on a circle of labels: solid if positive, dashed if negative.

        Linked labels stand next to each other where that is possible. With more than 20 labels
        those without a visible link are left out.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        threshold : float, optional
            Weaker links are not drawn; by default as many as stay legible are.
        order : sequence of str, optional
            All labels as they shall stand around the circle, so that several graphs of the same
            labels can be compared.

        Returns
        -------
        matplotlib Axes
        """
        from labelfield.label_graph.picture import draw_graph

        return draw_graph(self, ax, threshold, None if order is None else self._places(order))

    def _places(self, order: Sequence[str]) -> list[int]:
        wanted = [str(name) for name in order]
        if sorted(wanted) != sorted(self.names):
            raise ValueError(f"order must name every label once: {list(self.names)}; got {wanted}.")
        return [self.names.index(name) for name in wanted]
