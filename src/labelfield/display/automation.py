"""How much can be accepted without review?"""

import numpy as np

from labelfield.display._drawing import open_axes
from labelfield.display._judging import innermost, judge
from labelfield.metrics import automation_curve
from labelfield.metrics._inputs import check_share
from labelfield.metrics.intervals import share_interval

__all__ = ["AutomationDisplay"]


class AutomationDisplay:
    """Accuracy of the accepted sets against the share accepted, most confident sets first.

    The band is the exact 95 % interval at each single share. A threshold chosen by looking at the
    curve looks better than it is; `route` of a calibrated model allows for that.

    Parameters
    ----------
    share, accuracy : arrays of shape (m,)
        Share of the sets that is accepted, increasing, and share of right ones among them.
    n_rows : int
        Number of sets behind a share of 1.
    name : str, optional
        For the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure, after `plot`
    line_ : matplotlib Line2D
    band_ : matplotlib FillBetweenPolyCollection
    chosen_ : tuple of two floats, or None
        The largest share that keeps the wished accuracy, and its accuracy.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from labelfield import AutomationDisplay
    >>> display = AutomationDisplay.from_predictions(
    ...     [0.9, 0.8, 0.7, 0.6], [1, 1, 0, 1], target=0.75
    ... )
    >>> display.chosen_
    (1.0, 0.75)
    """

    def __init__(self, share, accuracy, n_rows, *, name=None):
        self.share = np.asarray(share, dtype=float)
        self.accuracy = np.asarray(accuracy, dtype=float)
        self.n_rows = n_rows
        self.name = name

    @classmethod
    def from_estimator(cls, estimator, X, y, *, target=None, name=None, ax=None, **kwargs):
        """Show how many sets of a fitted model can be accepted.

        Parameters
        ----------
        estimator : fitted classifier, or a pipeline or search around one
            Sets are accepted by its `predict_confidence`, or by their joint probability.
        X : n rows that it was not fitted to
        y : array, sparse matrix or data frame of shape (n, L), or n lists of tags
            Rows with an unknown label (NaN) are left out.
        target : float in [0, 1], optional
            The wished accuracy of the accepted sets.
        name : str, optional
            By default the name of the model's class.
        ax : matplotlib Axes, optional
        **kwargs
            For matplotlib's `plot`.

        Returns
        -------
        display : AutomationDisplay
        """
        name = type(innermost(estimator)).__name__ if name is None else name
        confidence, correct = judge(estimator, X, y)
        return cls.from_predictions(confidence, correct, target=target, name=name, ax=ax, **kwargs)

    @classmethod
    def from_predictions(cls, confidence, correct, *, target=None, name=None, ax=None, **kwargs):
        """Show how many sets can be accepted, given confidences and whether they were right.

        Parameters
        ----------
        confidence : array of shape (n,), in [0, 1]
        correct : array of shape (n,) of 0, 1 or NaN (unknown)
        target : float in [0, 1], optional
            The wished accuracy of the accepted sets.
        name : str, optional
        ax : matplotlib Axes, optional
        **kwargs
            For matplotlib's `plot`.

        Returns
        -------
        display : AutomationDisplay
        """
        share, accuracy, _ = automation_curve(confidence, correct)
        n_rows = int((~np.isnan(np.asarray(correct, dtype=float))).sum())
        return cls(share, accuracy, n_rows, name=name).plot(ax=ax, target=target, **kwargs)

    def plot(self, ax=None, *, target=None, name=None, **kwargs):
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        target : float in [0, 1], optional
            Drawn as a dashed line, with the largest share that keeps it.
        name : str, optional
        **kwargs
            For matplotlib's `plot`.

        Returns
        -------
        self
        """
        ax = open_axes(ax, (6.0, 4.2))
        name = self.name if name is None else name
        accepted = self.share * self.n_rows
        low, high = share_interval(self.accuracy * accepted, accepted)
        (self.line_,) = ax.plot(self.share, self.accuracy, **({"label": name} | kwargs))
        color = self.line_.get_color()
        self.band_ = ax.fill_between(self.share, low, high, color=color, alpha=0.15, linewidth=0)
        self.chosen_ = None if target is None else self._mark(ax, target, color)
        ax.set(xlim=(0, 1), xlabel="share of sets accepted without review")
        ax.set(ylim=(None, 1.02), ylabel="share of accepted sets that are right")
        if name is not None:
            ax.legend(loc="lower left")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _mark(self, ax, target, color):
        """Draw the wished accuracy; return the largest share that keeps it, None if none does."""
        check_share(target, "target")
        ax.axhline(target, linestyle="--", linewidth=1.0, color="0.5", zorder=0)
        enough = np.flatnonzero(self.accuracy >= target)
        if not len(enough):
            return None
        share, accuracy = float(self.share[enough[-1]]), float(self.accuracy[enough[-1]])
        ax.plot([share], [accuracy], marker="o", color=color)
        ax.annotate(
            f"accept {share:.0%}",
            (share, accuracy),
            xytext=(0, 8),
            textcoords="offset points",
            ha="right" if share > 0.5 else "left",
        )
        return share, accuracy
