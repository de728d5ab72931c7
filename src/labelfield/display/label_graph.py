"""Which labels call for each other, and which exclude each other?"""

from labelfield.display._judging import innermost
from labelfield.label_graph import associate_labels

__all__ = ["LabelGraphDisplay"]


class LabelGraphDisplay:
    """Labels on a circle and the links between them: solid if positive, dashed if negative.

    Parameters
    ----------
    graph : LabelGraph

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure, after `plot`

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from labelfield import LabelGraphDisplay
    >>> Y = [[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0]]
    >>> display = LabelGraphDisplay.from_predictions(Y, label_names=["sea", "beach", "snow"])
    >>> display.graph.edges()[0]
    ('sea', 'snow', -1.0)
    """

    def __init__(self, graph):
        self.graph = graph

    @classmethod
    def from_estimator(cls, estimator, x=None, *, threshold=None, ax=None):
        """Show the graph that a fitted model learned.

        Parameters
        ----------
        estimator : fitted model with a `label_graph_`, or a pipeline or search around one
        x : array of shape (d,) or (1, d), optional
            A row, where the graph depends on the features (`ConditionalGraphicalLasso`); as the
            model itself sees it, behind the other steps of a pipeline.
        threshold : float, optional
            Weaker links are not drawn; by default as many as stay legible are.
        ax : matplotlib Axes, optional

        Returns
        -------
        display : LabelGraphDisplay
        """
        model = innermost(estimator)
        if x is None and hasattr(model, "label_graph_"):
            return cls(model.label_graph_).plot(ax, threshold=threshold)
        if x is not None and hasattr(model, "label_graph"):
            return cls(model.label_graph(x)).plot(ax, threshold=threshold)
        if x is not None:
            raise ValueError(
                f"The graph of {type(model).__name__} does not depend on a row; leave out x."
            )
        raise ValueError(
            f"{type(model).__name__} has no label_graph_; fit a field such as CorrelatedLogistic, "
            "or show the associations in the data by LabelGraphDisplay.from_predictions(Y)."
        )

    @classmethod
    def from_predictions(cls, Y, *, label_names=None, threshold=None, ax=None):
        """Show the correlations (phi coefficients) of labels in true or predicted sets.

        Parameters
        ----------
        Y : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
        label_names : sequence of L str, optional
        threshold : float, optional
            Weaker links are not drawn; by default as many as stay legible are.
        ax : matplotlib Axes, optional

        Returns
        -------
        display : LabelGraphDisplay
        """
        graph = associate_labels(Y, label_names=label_names)
        return cls(graph).plot(ax, threshold=threshold)

    def plot(self, ax=None, *, threshold=None, order=None):
        """Draw the graph.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        threshold : float, optional
            Weaker links are not drawn; by default as many as stay legible are.
        order : sequence of str, optional
            All labels as they shall stand around the circle, to compare several graphs.

        Returns
        -------
        self
        """
        self.ax_ = self.graph.plot(ax, threshold=threshold, order=order)
        self.figure_ = self.ax_.figure
        return self
