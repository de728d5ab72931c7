"""A single regression tree."""

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from labelfield._parameters import declare, whole
from labelfield.calibrate.calibrators.base import SetCalibrator

__all__ = ["TreeSetCalibrator"]


class TreeSetCalibrator(SetCalibrator):
    """A regression tree on all columns: a confidence that can be read as rules.

    Parameters
    ----------
    max_leaf_nodes : int, default=30
    min_samples_leaf : int, default=20
    random_state : int, RandomState or None, default=0
        Decides between equally good splits.

    Attributes
    ----------
    feature_, threshold_, left_, right_, value_ : arrays of shape (number of nodes,)
        A row goes left where U[:, feature] <= threshold. Leaves have left -1.

    Examples
    --------
    >>> from labelfield import TreeSetCalibrator
    >>> U, v = [[0.1], [0.2], [0.8], [0.9]], [0, 0, 1, 1]
    >>> TreeSetCalibrator(min_samples_leaf=1).fit(U, v).predict([[0.0], [1.0]])
    array([0., 1.])
    """

    _parameter_constraints = declare(
        "random_state", max_leaf_nodes=[whole(2)], min_samples_leaf=[whole(1)]
    )

    def __init__(self, *, max_leaf_nodes=30, min_samples_leaf=20, random_state=0):
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _fit(self, U, targets, weights, groups):
        tree = DecisionTreeRegressor(
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            random_state=self.random_state,
        )
        nodes = tree.fit(U, targets, sample_weight=weights).tree_
        self.feature_, self.threshold_ = nodes.feature.copy(), nodes.threshold.copy()
        self.left_, self.right_ = nodes.children_left.copy(), nodes.children_right.copy()
        self.value_ = nodes.value[:, 0, 0].copy()

    def _predict(self, U):
        U = U.astype(np.float32)  # as the thresholds were chosen
        node = np.zeros(len(U), dtype=np.intp)
        rows = np.flatnonzero(self.left_[node] >= 0)
        while len(rows):
            at = node[rows]
            goes_left = U[rows, self.feature_[at]] <= self.threshold_[at]
            node[rows] = np.where(goes_left, self.left_[at], self.right_[at])
            rows = rows[self.left_[node[rows]] >= 0]
        return self.value_[node]
