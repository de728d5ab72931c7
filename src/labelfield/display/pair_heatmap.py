"""How often do two labels occur together?"""

import numpy as np

from labelfield._gate.indicator import read_dense_indicator
from labelfield._gate.reading import count_rows, take_rows
from labelfield._names import read_names
from labelfield.display._drawing import choose_labels, open_axes
from labelfield.display._judging import names_of
from labelfield.evaluation.answers import unwrap
from labelfield.joints.base import block_rows
from labelfield.label_graph.layout import similarity_order
from labelfield.label_graph.pairs import conditional_shares, pair_counts, phi_coefficients
from labelfield.metrics._inputs import check_choice

__all__ = ["PairHeatmapDisplay"]

MEASURES = {"share": conditional_shares, "correlation": phi_coefficients}
TITLES = {
    "share": "share of rows with the row's label\nthat also have the column's",
    "correlation": "correlation of the two labels",
}
MOST = 40
NUMBERED = 12


class PairHeatmapDisplay:
    """A number per pair of labels: in given sets, or as a model's distribution has it.

    Parameters
    ----------
    matrix : array of shape (L, L)
        Row label, column label; NaN where there is nothing to divide by.
    label_names : sequence of L str
    measure : {"share", "correlation"}, default="share"
        P(column's label | row's label), or the phi coefficient.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure, after `plot`
    image_ : matplotlib AxesImage
    order_ : int array
        The labels from top to bottom.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from labelfield import PairHeatmapDisplay
    >>> Y = [[1, 1], [1, 0], [1, 1], [0, 0]]
    >>> PairHeatmapDisplay.from_predictions(Y, label_names=["sea", "beach"]).matrix.round(2)
    array([[1.  , 0.67],
           [1.  , 1.  ]])
    """

    def __init__(self, matrix, label_names, *, measure="share"):
        check_choice(measure, MEASURES, "measure")
        self.matrix = np.asarray(matrix, dtype=float)
        self.label_names = list(label_names)
        self.measure = measure

    @classmethod
    def from_estimator(cls, estimator, X, *, measure="share", labels=None, ax=None, **kwargs):
        """Show the pairs of labels that a model expects in given rows.

        Beside `from_predictions` of the true sets this tells what a model has understood of how
        labels depend on each other. Independent labels, too, occur together where the same
        features speak for both.

        Parameters
        ----------
        estimator : fitted classifier with `predict_joint`, or a pipeline or search around one
        X : n rows that it was not fitted to
        measure : {"share", "correlation"}, default="share"
            P(column's label | row's label), or the phi coefficient.
        labels : sequence of str or int, optional
            Names or numbers of labels; by default all, or the 40 most frequent.
        ax : matplotlib Axes, optional
        **kwargs
            For `plot`, such as `reorder=False`, and for matplotlib's `imshow`.

        Returns
        -------
        display : PairHeatmapDisplay
        """
        model, X = unwrap(estimator, X)
        if not hasattr(model, "predict_joint"):
            raise ValueError(
                f"{type(model).__name__} gives no joint distribution; give its sets to "
                "PairHeatmapDisplay.from_predictions."
            )
        counts = _expected_counts(model, X)
        return cls._of_counts(counts, names_of(model, len(counts["both"])), measure, labels).plot(
            ax, **kwargs
        )

    @classmethod
    def from_predictions(
        cls, Y, *, label_names=None, measure="share", labels=None, ax=None, **kwargs
    ):
        """Show the pairs of labels in true or predicted sets.

        Parameters
        ----------
        Y : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
        label_names : sequence of L str, optional
        measure : {"share", "correlation"}, default="share"
            P(column's label | row's label), or the phi coefficient.
        labels : sequence of str or int, optional
            Names or numbers of labels; by default all, or the 40 most frequent.
        ax : matplotlib Axes, optional
        **kwargs
            For `plot`, such as `reorder=False`, and for matplotlib's `imshow`.

        Returns
        -------
        display : PairHeatmapDisplay
        """
        ones, unknown = read_dense_indicator(Y, "Y")
        names = read_names(label_names, ones.shape[1])
        counts = pair_counts(ones, ~unknown)
        return cls._of_counts(counts, names, measure, labels).plot(ax, **kwargs)

    @classmethod
    def _of_counts(cls, counts, names, measure, labels):
        check_choice(measure, MEASURES, "measure")
        matrix = MEASURES[measure](counts)
        if measure == "correlation":
            np.fill_diagonal(matrix, 1.0)
        chosen = choose_labels(labels, names, np.diag(counts["both"]), MOST)
        return cls(matrix[np.ix_(chosen, chosen)], [names[k] for k in chosen], measure=measure)

    def plot(self, ax=None, *, reorder=True, include_values=None, colorbar=True, **kwargs):
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        reorder : bool, default=True
            Whether labels that are alike stand next to each other; otherwise they keep their order.
        include_values : bool, optional
            Whether to write the numbers into the cells; by default up to 12 labels.
        colorbar : bool, default=True
        **kwargs
            For matplotlib's `imshow`.

        Returns
        -------
        self
        """
        L = len(self.label_names)
        side = float(np.clip(0.45 * L + 2.0, 4.0, 10.0))
        ax = open_axes(ax, (side + 0.8, side))
        likeness = np.nan_to_num(self.matrix + self.matrix.T)
        np.fill_diagonal(likeness, 0.0)
        self.order_ = similarity_order(likeness) if reorder else np.arange(L)
        shown = self.matrix[np.ix_(self.order_, self.order_)]
        low, colours = (0.0, "Blues") if self.measure == "share" else (-1.0, "RdBu")
        self.image_ = ax.imshow(shown, **({"vmin": low, "vmax": 1.0, "cmap": colours} | kwargs))
        names = [self.label_names[k] for k in self.order_]
        ax.set_xticks(range(L), names, rotation=90)
        ax.set_yticks(range(L), names)
        if include_values or (include_values is None and L <= NUMBERED):
            self._write_values(ax, shown)
        if colorbar:
            ax.figure.colorbar(self.image_, ax=ax, shrink=0.8, label=TITLES[self.measure])
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _write_values(self, ax, shown):
        for (row, column), value in np.ndenumerate(shown):
            if not np.isnan(value):
                red, green, blue, _ = self.image_.cmap(self.image_.norm(value))
                dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
                ax.text(
                    column,
                    row,
                    f"{value:.2f}",
                    ha="center",
                    va="center",
                    color="white" if dark else "black",
                    fontsize="small",
                )


def _expected_counts(model, X):
    """Return what `pair_counts` counts, in expectation over the joints of rows X."""
    L = len(model.label_names_)
    both, first = np.zeros((L, L)), np.zeros(L)
    for rows in block_rows(count_rows(X), 8.0 * L * L):
        joint = model.predict_joint(take_rows(X, rows))
        both += joint.pair_marginals().sum(axis=0)
        first += joint.marginals().sum(axis=0)
    np.fill_diagonal(both, first)
    first = np.broadcast_to(first[:, None], (L, L))
    n_rows = np.full((L, L), float(count_rows(X)))
    return {"both": both, "first": first, "second": first.T, "rows": n_rows}
