"""Is the confidence worth its number?"""

import numpy as np

from labelfield.display._drawing import open_axes
from labelfield.display._judging import innermost, judge
from labelfield.metrics import reliability_bins
from labelfield.metrics.intervals import share_interval

__all__ = ["ReliabilityDisplay"]


class ReliabilityDisplay:
    """Reliability diagram: how often sets of each stated confidence were right.

    Points on the dashed line are calibrated; below it the model claims too much, above it too
    little. A bar is the exact 95 % interval of the share of right sets: one that crosses the line
    is no evidence against the confidence.

    Parameters
    ----------
    confidence, accuracy : arrays of shape (m,)
        Mean confidence and share of right sets of the bins that have rows.
    count : int array of shape (m,)
        Rows in each bin.
    name : str, optional
        For the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure, after `plot`
    bars_ : matplotlib ErrorbarContainer
        The points with their intervals.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from labelfield import LabelPowerset, ReliabilityDisplay
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=300, n_labels=3, random_state=0)
    >>> model = LabelPowerset(alpha=1.0).fit(data.X[:150], data.Y[:150])
    >>> display = ReliabilityDisplay.from_estimator(model, data.X[150:], data.Y[150:], n_bins=5)
    >>> int(display.count.sum())
    150
    """

    def __init__(self, confidence, accuracy, count, *, name=None):
        self.confidence = np.asarray(confidence, dtype=float)
        self.accuracy = np.asarray(accuracy, dtype=float)
        self.count = np.asarray(count)
        self.name = name

    @classmethod
    def from_estimator(cls, estimator, X, y, *, n_bins=10, name=None, ax=None, **kwargs):
        """Show the confidence of a fitted model in its own sets.

        Parameters
        ----------
        estimator : fitted classifier, or a pipeline or search around one
            Its `predict_confidence` is shown, or the joint probability of its sets.
        X : n rows that it was not fitted to
        y : array, sparse matrix or data frame of shape (n, L), or n lists of tags
            Rows with an unknown label (NaN) are left out.
        n_bins : int, default=10
            Bins of equal width on [0, 1].
        name : str, optional
            By default the name of the model's class.
        ax : matplotlib Axes, optional
        **kwargs
            For matplotlib's `errorbar`.

        Returns
        -------
        display : ReliabilityDisplay
        """
        name = type(innermost(estimator)).__name__ if name is None else name
        confidence, correct = judge(estimator, X, y)
        return cls.from_predictions(confidence, correct, n_bins=n_bins, name=name, ax=ax, **kwargs)

    @classmethod
    def from_predictions(cls, confidence, correct, *, n_bins=10, name=None, ax=None, **kwargs):
        """Show stated confidences and whether the sets were right.

        Parameters
        ----------
        confidence : array of shape (n,), in [0, 1]
        correct : array of shape (n,) of 0, 1 or NaN (unknown)
        n_bins : int, default=10
            Bins of equal width on [0, 1].
        name : str, optional
        ax : matplotlib Axes, optional
        **kwargs
            For matplotlib's `errorbar`.

        Returns
        -------
        display : ReliabilityDisplay
        """
        bins = reliability_bins(confidence, correct, n_bins=n_bins)
        filled = bins["count"] > 0
        points = (bins[key][filled] for key in ("confidence", "accuracy", "count"))
        return cls(*points, name=name).plot(ax=ax, **kwargs)

    def plot(self, ax=None, *, name=None, **kwargs):
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        name : str, optional
        **kwargs
            For matplotlib's `errorbar`.

        Returns
        -------
        self
        """
        ax = open_axes(ax)
        name = self.name if name is None else name
        low, high = share_interval(self.accuracy * self.count, self.count)
        # rounding may put a bound past its share by a last bit, which matplotlib refuses
        bars = np.maximum([self.accuracy - low, high - self.accuracy], 0.0)
        style = {"marker": "o", "elinewidth": 1.0, "capsize": 2.0, "label": name} | kwargs
        ax.axline((0, 0), slope=1, linestyle="--", linewidth=1.0, color="0.5", zorder=0)
        self.bars_ = ax.errorbar(self.confidence, self.accuracy, yerr=bars, **style)
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        ax.set(xlabel="stated confidence in a set", ylabel="share of sets that are right")
        if name is not None:
            ax.legend(loc="upper left")
        self.ax_, self.figure_ = ax, ax.figure
        return self
