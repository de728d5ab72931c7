"""A single regression tree."""

from sklearn.tree import DecisionTreeRegressor

from labelfield.calibrate.base import SetCalibrator

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
    tree_ : DecisionTreeRegressor

    Examples
    --------
    >>> from labelfield import TreeSetCalibrator
    >>> U, v = [[0.1], [0.2], [0.8], [0.9]], [0, 0, 1, 1]
    >>> TreeSetCalibrator(min_samples_leaf=1).fit(U, v).predict([[0.0], [1.0]])
    array([0., 1.])
    """

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
        self.tree_ = tree.fit(U, targets, sample_weight=weights)

    def _predict(self, U):
        return self.tree_.predict(U)
