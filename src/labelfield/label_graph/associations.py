"""The graph of how labels occur together in the data."""

from collections.abc import Sequence
from typing import Any

from labelfield._gate.indicator import read_dense_indicator
from labelfield._names import read_names
from labelfield.label_graph.label_graph import LabelGraph
from labelfield.label_graph.pairs import pair_counts, phi_coefficients

__all__ = ["associate_labels"]


def associate_labels(Y: Any, *, label_names: Sequence[str] | None = None) -> LabelGraph:
    """Return the graph of label associations in the data: signed phi coefficients.

    Parameters
    ----------
    Y : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    label_names : sequence of L str, optional

    Examples
    --------
    >>> from labelfield.label_graph import associate_labels
    >>> associate_labels([[1, 0], [0, 1], [1, 0], [0, 1]], label_names=["a", "b"]).edges()
    [('a', 'b', -1.0)]
    """
    ones, unknown = read_dense_indicator(Y, "Y")
    return LabelGraph.from_matrix(
        read_names(label_names, ones.shape[1]),
        phi_coefficients(pair_counts(ones, ~unknown)),
        title="Label associations in the data",
        explanation=(
            "Links are correlations of two labels in the data (phi coefficients), not parameters "
            "of a model: a link may come from a third label or from the features."
        ),
    )
