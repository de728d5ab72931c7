"""One fit to weighted rows."""

from abc import abstractmethod

import numpy as np

from labelfield._gate.blocks import BlockSource
from labelfield._gate.reading import take_rows
from labelfield._gate.validation import holds_empty, validate_weights
from labelfield._progress import with_callbacks
from labelfield.base.joint import JointClassifier

__all__ = ["WeightedJointClassifier"]


class WeightedJointClassifier(JointClassifier):
    """Base of models whose rows may be weighted: `_fit` takes `sample_weight` too."""

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Where an inner estimator reads it, anything with n rows that it takes, such as texts.
            Without `y` blocks (X, y) or (X, y, weight) that can be read again and again, where
            the model takes them: see `labelfield.datasets.open_blocks`.
        y : array, CSR matrix or data frame of shape (n, L), or n lists of tags
            0 or 1; NaN (unknown) where the model says that it takes it. Tags are texts, see
            `split_tags`; their names are kept in `label_names_`, as those of columns are.
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts as that row twice, one of weight 0 as none.

        Returns
        -------
        self
        """
        X, Y = self._enter(X, y, sample_weight)
        in_blocks = isinstance(X, BlockSource)
        weights = X.weight if in_blocks else validate_weights(sample_weight, X)
        X, Y, weights = self._follow_rules(X, Y, weights)
        listed_folds = isinstance(getattr(self, "cv", None), (list, tuple))  # of all rows given
        if weights is not None and not (weights.all() or listed_folds or in_blocks):
            X, Y, weights = self._leave_out(X, Y, weights)
        self._fit(X, self._worth_learning(Y), weights)
        self._learn_decoder(X, Y, sample_weight=weights)
        if in_blocks:
            X.finish()
        return self

    def _leave_out(self, X, Y, weights):
        """Return the rows that have weight, which are all that the model is to know of."""
        kept = np.flatnonzero(weights)
        if not len(kept):
            raise ValueError("sample_weight is 0 in every row; give some rows a weight above 0.")
        Y = take_rows(Y, kept)
        self.empty_seen_ = holds_empty(Y)
        return take_rows(X, kept), Y, weights[kept]

    @abstractmethod
    def _fit(self, X, Y, sample_weight=None):
        """Learn from checked rows X (n, d), labels Y (n, L) and weights (n,) or None."""
