"""Trees for labels or classes, kept as text."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

__all__ = ["LabelTrees"]

SHARED = {
    "deterministic": True,
    "force_row_wise": True,
    "min_data_in_leaf": 5,
    "verbosity": -1,
}
KINDS = {
    "boosting": {"learning_rate": 0.1, "num_leaves": 15, "feature_fraction": 0.5},
    "forest": {
        "boosting": "rf",
        "num_leaves": 255,
        "bagging_freq": 1,
        "bagging_fraction": 0.63,
        "feature_fraction_bynode": 0.3,
    },
}


class LabelTrees(ClassifierMixin, BaseEstimator):
    """LightGBM on every label, or on classes: boosted trees, or a forest grown on drawn rows.

    As the `estimator` of models of ours it can be saved: the trees are kept as LightGBM's text.

    Parameters
    ----------
    kind : {"boosting", "forest"}, default "boosting"
    n_trees : int, default 100
    n_jobs : int or None
    random_state : int, default 0

    Attributes
    ----------
    classes_ : array
        Of a y of shape (n,); the numbers of the labels of one of shape (n, L).
    trees_ : list of str or float
        The trees of each label, or those of all classes, as text; a probability where all rows are
        alike.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners import LabelTrees
    >>> X = np.arange(40.0)[:, None]
    >>> trees = LabelTrees(n_trees=20).fit(X, np.hstack([X > 9, X > 29]).astype(int))
    >>> (trees.predict_proba(np.array([[2.0], [20.0], [35.0]])) > 0.5).astype(int).tolist()
    [[0, 0], [1, 0], [1, 1]]
    """

    def __init__(self, kind="boosting", *, n_trees=100, n_jobs=None, random_state=0):
        self.kind = kind
        self.n_trees = n_trees
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Grow the trees of every column of y (n, L), or those of the classes of y (n,)."""
        y = np.asarray(y)
        self.n_features_in_ = X.shape[1]
        self.has_classes_ = y.ndim == 1
        if self.has_classes_:
            self.classes_, codes = np.unique(y, return_inverse=True)
            self.trees_ = [self._grow(X, codes, len(self.classes_), sample_weight)]
        else:
            self.classes_ = np.arange(y.shape[1])
            self.trees_ = [self._grow(X, label, 2, sample_weight) for label in y.T]
        return self

    def predict_proba(self, X):
        """Return P(y_l = 1) of every label: (n, L), or the probabilities of the classes."""
        check_is_fitted(self)
        parts = [self._ask(trees, X) for trees in self.trees_]
        if not self.has_classes_:
            return np.stack(parts, axis=1)
        if len(self.classes_) > 2:
            return parts[0]
        second = parts[0][:, None]
        return second if len(self.classes_) == 1 else np.hstack([1.0 - second, second])

    def predict(self, X):
        """Return labels of probability above one half, or the most probable class."""
        p = self.predict_proba(X)
        return self.classes_[p.argmax(axis=1)] if self.has_classes_ else (p > 0.5).astype(int)

    def _grow(self, X, codes, n_classes, weight):
        import lightgbm

        counts = np.bincount(codes, minlength=n_classes)
        if counts.max() == len(codes):
            return 1.0 if n_classes == 1 else float((counts[1] + 0.5) / (len(codes) + 1.0))
        several = {"objective": "multiclass", "num_class": n_classes}
        settings = {
            **SHARED,
            **KINDS[self.kind],
            **(several if n_classes > 2 else {"objective": "binary"}),
            "seed": self.random_state,
            "num_threads": self.n_jobs or 1,
        }
        rows = lightgbm.Dataset(X, label=codes, weight=weight, params=settings)
        return lightgbm.train(settings, rows, num_boost_round=self.n_trees).model_to_string()

    def _ask(self, trees, X):
        import lightgbm

        if isinstance(trees, float):
            return np.full(X.shape[0], trees)
        return lightgbm.Booster(model_str=trees).predict(X, num_threads=self.n_jobs or 1)
