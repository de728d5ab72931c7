"""How good is a restored table: cell by cell, and for the classifier behind it."""

import numpy as np
from sklearn.svm import SVC, LinearSVC

from labelfield.restore.data.mixed_table import MixedTable
from labelfield.restore.neighbors import MixedNeighbors

__all__ = ["DownstreamAccuracy", "cell_scores"]

KERNEL_MACHINE_ROWS = 5000


def cell_scores(
    truth: MixedTable, dirty: MixedTable, restored: MixedTable, *, scale
) -> dict[str, float]:
    """Errors of the restored cells, those that were observed and those that were missing apart.

    Parameters
    ----------
    truth, dirty, restored : MixedTable
        The same rows clean, damaged, and after restoring.
    scale : ndarray of shape (mc,)
        Training standard deviations; errors of numbers are in these units.

    Returns
    -------
    dict
        `rmse_observed`, `rmse_missing`, `state_error_observed`, `state_error_missing`: root mean
        squared error of the numbers, share of wrong categories. NaN where there is no such cell.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.restore import MixedTable
    >>> from labelfield.restore import cell_scores
    >>> truth = MixedTable(np.array([[1.0], [2.0]]), np.array([[0], [1]]), (("a", "b"),))
    >>> dirty = truth.with_cells(np.array([[1.5], [np.nan]]), np.array([[1], [-1]]))
    >>> restored = truth.with_cells(truth.continuous + 1, dirty.categorical % 2)
    >>> found = cell_scores(truth, dirty, restored, scale=np.array([2.0]))
    >>> found["rmse_observed"], found["state_error_observed"], found["state_error_missing"]
    (0.5, 1.0, 0.0)
    """
    unit = np.where(np.asarray(scale) > 0, scale, 1.0)
    square = ((restored.continuous - truth.continuous) / unit) ** 2
    wrong = restored.categorical != truth.categorical
    hole, gap = np.isnan(dirty.continuous), dirty.categorical < 0
    return {
        "rmse_observed": float(np.sqrt(_mean(square[~hole]))),
        "rmse_missing": float(np.sqrt(_mean(square[hole]))),
        "state_error_observed": _mean(wrong[~gap]),
        "state_error_missing": _mean(wrong[gap]),
    }


def _mean(values) -> float:
    return float(np.mean(values)) if np.size(values) else float("nan")


class DownstreamAccuracy:
    """Accuracy of 3 nearest neighbours and a linear SVM (C = 1) trained on the clean table.

    Numbers are scaled to [0, 1] by their training range, categories become indicators: the
    settings that give the clean accuracies printed in the thesis. Beyond 5000 training rows the
    SVM is liblinear's.

    Parameters
    ----------
    train : MixedTable
        Complete, with its target.

    Examples
    --------
    >>> from labelfield.restore import make_mixed_net
    >>> from labelfield.restore import DownstreamAccuracy
    >>> table = make_mixed_net(60, shift=2.0, n_sweeps=5, random_state=0)
    >>> sorted(DownstreamAccuracy(table)(table))
    ['knn_accuracy', 'svm_accuracy']
    """

    def __init__(self, train: MixedTable):
        self._low = train.continuous.min(axis=0)
        self._range = np.maximum(train.continuous.max(axis=0) - self._low, 1e-12)
        large = len(train.target) > KERNEL_MACHINE_ROWS
        machine = LinearSVC(C=1.0, random_state=0) if large else SVC(C=1.0, kernel="linear")
        self._machine = machine.fit(self._features(train), train.target)
        # two indicators differ where a category does
        self._neighbors = MixedNeighbors.of(self._numbers(train), train.categorical, weight=2.0)
        self._votes = np.eye(train.target.max() + 1)[train.target]

    def __call__(self, table: MixedTable) -> dict[str, float]:
        """Accuracy of each classifier on a complete table with its target."""
        nearest, _ = self._neighbors.nearest(self._numbers(table), table.categorical, 3)
        answers = {
            "knn_accuracy": self._votes[nearest].sum(axis=1).argmax(axis=1),
            "svm_accuracy": self._machine.predict(self._features(table)),
        }
        return {name: float(np.mean(answer == table.target)) for name, answer in answers.items()}

    def _numbers(self, table):
        return (table.continuous - self._low) / self._range

    def _features(self, table):
        columns = zip(table.categorical.T, table.categories)
        states = [np.eye(len(states))[codes] for codes, states in columns]
        return np.hstack([self._numbers(table), *states])
