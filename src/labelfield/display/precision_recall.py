"""How well are single labels ranked?"""

import numpy as np
from sklearn.metrics import precision_recall_curve

from labelfield._names import read_names
from labelfield.display._drawing import choose_labels, open_axes
from labelfield.display._judging import names_of, read_truth
from labelfield.evaluation.answers import answer
from labelfield.metrics import average_precision
from labelfield.metrics._inputs import read_ranking

__all__ = ["PrecisionRecallDisplay"]

MOST = 10


class PrecisionRecallDisplay:
    """Precision against recall of every label as its threshold falls.

    Parameters
    ----------
    precision, recall : lists of arrays, one of each per label
        As scikit-learn's `precision_recall_curve` gives them.
    average_precision : array of shape (number of labels,)
    label_names : sequence of str

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure, after `plot`
    lines_ : list of matplotlib Line2D, one per label

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from labelfield import PrecisionRecallDisplay
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 1]]
    >>> scores = [[0.9, 0.2], [0.4, 0.7], [0.3, 0.8], [0.1, 0.1]]
    >>> display = PrecisionRecallDisplay.from_predictions(Y, scores, label_names=["sea", "snow"])
    >>> display.average_precision.round(3)
    array([0.833, 0.917])
    """

    def __init__(self, precision, recall, average_precision, label_names):
        self.precision = list(precision)
        self.recall = list(recall)
        self.average_precision = np.asarray(average_precision, dtype=float)
        self.label_names = list(label_names)

    @classmethod
    def from_estimator(cls, estimator, X, y, *, labels=None, ax=None, **kwargs):
        """Show how a fitted model ranks rows for each label.

        Parameters
        ----------
        estimator : fitted classifier, or a pipeline or search around one
            Marginal probabilities, or decision values where it has none.
        X : n rows that it was not fitted to
        y : array, sparse matrix or data frame of shape (n, L), or n lists of tags
            Unknown labels (NaN) are left out.
        labels : sequence of str or int, optional
            Names or numbers of labels; by default all, or the 10 most frequent.
        ax : matplotlib Axes, optional
        **kwargs
            For matplotlib's `plot`.

        Returns
        -------
        display : PrecisionRecallDisplay
        """
        truth, unknown = read_truth(estimator, y)
        scores = answer(estimator, X, (), scores=True).scores
        return cls.from_predictions(
            np.where(unknown, np.nan, truth),
            scores,
            label_names=names_of(estimator, truth.shape[1]),
            labels=labels,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_predictions(cls, Y_true, Y_score, *, label_names=None, labels=None, ax=None, **kwargs):
        """Show how scores rank rows for each label.

        Parameters
        ----------
        Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
        Y_score : (n, L) array
        label_names : sequence of L str, optional
        labels : sequence of str or int, optional
            Names or numbers of labels; by default all, or the 10 most frequent.
        ax : matplotlib Axes, optional
        **kwargs
            For matplotlib's `plot`.

        Returns
        -------
        display : PrecisionRecallDisplay
        """
        ranked = read_ranking(Y_true, Y_score)
        count = ranked.truth.sum(axis=0)
        names = read_names(label_names, len(count))
        chosen = choose_labels(labels, names, count, MOST)
        absent = [names[k] for k in chosen if count[k] == 0]
        if absent or not chosen:
            who = absent[0] if absent else "every label"
            raise ValueError(f"No row is known to have {who}, so that there is no recall to show.")
        curves = [
            precision_recall_curve(
                ranked.truth[ranked.known[:, k], k],
                ranked.score[ranked.known[:, k], k],
                drop_intermediate=True,
            )
            for k in chosen
        ]
        precision, recall, _ = zip(*curves)
        areas = average_precision(Y_true, Y_score, average=None)[chosen]
        return cls(precision, recall, areas, [names[k] for k in chosen]).plot(ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw a curve per label, with its average precision in the legend.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        **kwargs
            For matplotlib's `plot`.

        Returns
        -------
        self
        """
        ax = open_axes(ax, (6.4, 4.8))
        self.lines_ = []
        for precision, recall, area, name in zip(
            self.precision, self.recall, self.average_precision, self.label_names
        ):
            style = {"drawstyle": "steps-post", "label": f"{name} (AP {area:.2f})"} | kwargs
            self.lines_ += ax.plot(recall, precision, **style)
        ax.set(xlim=(0, 1.01), ylim=(0, 1.02), xlabel="recall", ylabel="precision")
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize="small", frameon=False)
        self.ax_, self.figure_ = ax, ax.figure
        return self
