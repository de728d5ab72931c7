"""How well classifiers do on a restored table."""

import numpy as np
from sklearn.svm import SVC, LinearSVC

from lab.restorers.neighbors import MixedNeighbors
from labelfield.restore import MixedTable

__all__ = ["DownstreamAccuracy"]

KERNEL_MACHINE_ROWS = 5000


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
    >>> from lab.restorers import DownstreamAccuracy
    >>> from labelfield.restore import make_mixed_net
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
