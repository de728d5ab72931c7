"""Bagging whose bags are blocks of rows."""

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from labelfield._gate.blocks import BlockSource
from labelfield._gate.cluster import is_dask
from labelfield._gate.reading import as_rows
from labelfield._gate.validation import validate_weights
from labelfield._parameters import instance, whole
from labelfield.learners.by_block.members import deal_members, fit_label_members, fit_member
from labelfield.learners.by_block.places import block_totals, each_block, slices_of
from labelfield.learners.clones import refuse_weights
from labelfield.learners.conditional import constant_label, own_weights

__all__ = ["BlockBagging"]


class BlockBagging(ClassifierMixin, BaseEstimator):
    """A classifier that wants all rows, fitted to each block of rows; probabilities are averaged.

    As `estimator` of `BinaryRelevance`, `LabelPowerset` and classifier chains it makes trees and
    boosting learn from blocks on disk and from dask: every block is fitted where it lies. That is
    another model than the same trees on all rows, since a tree sees its block only; rows in random
    order lose least. Equal blocks give equal answers, from memory, from disk and on a cluster.

    Parameters
    ----------
    estimator : scikit-learn classifier with `predict_proba`
        The trees of a forest (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier, also
        at the end of a pipeline) are shared out among the blocks in proportion to their rows or
        weights, at least one to each. Anything else, such as boosting, is cloned whole for every
        block. Its `random_state` is that of the first block, and others are drawn from it.
    block_rows : int, optional
        Rows of a block where data are in memory: as many consecutive rows, the last block has
        fewer. By default all rows are one block, which is the plain estimator. Data that come in
        blocks stay as they are.

    Attributes
    ----------
    estimators_ : list of fitted classifiers
        One for every block.
    weights_ : array of shape (B,)
        What the blocks count in the average: their shares of the rows, or of the weights.
    classes_ : array of shape (K,)
        Of all blocks; a class that a block has not seen has probability 0 there.

    References
    ----------
    Breiman (1999): Pasting small votes for classification in large databases and on-line. Machine
    Learning.

    Examples
    --------
    >>> from labelfield import BinaryRelevance, BlockBagging
    >>> from labelfield.datasets import make_multilabel
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> data = make_multilabel(n_samples=120, n_labels=3, random_state=0)
    >>> forest = BlockBagging(ExtraTreesClassifier(12, random_state=0), block_rows=50)
    >>> whole = BinaryRelevance(forest).fit(data.X, data.Y)
    >>> blocks = [(data.X[i : i + 50], data.Y[i : i + 50]) for i in (0, 50, 100)]
    >>> in_blocks = BinaryRelevance(forest).fit(blocks)
    >>> bool((in_blocks.predict_proba(data.X) == whole.predict_proba(data.X)).all())
    True
    """

    _learns_from_blocks = True
    _parameter_constraints: ClassVar[dict] = {
        "estimator": [instance("fit", "predict")],
        "block_rows": [whole(1), None],
    }

    def __init__(self, estimator, *, block_rows=None):
        self.estimator = estimator
        self.block_rows = block_rows

    def fit(self, X, y, sample_weight=None):
        """Fit the estimator to every block of rows.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d), or what else the estimator takes
        y : array of shape (n,)
            Classes.
        sample_weight : array of shape (n,), optional
            Rows of weight 0 are none.

        Returns
        -------
        self
        """
        X, y, weight = self._enter(X, y, sample_weight)
        slices = slices_of(X, self.block_rows)
        totals = block_totals(slices, np.ones(len(y)) if weight is None else weight)
        jobs = [
            (member, y[rows], None if weight is None else weight[rows])
            for member, rows in zip(deal_members(self.estimator, totals), slices)
        ]
        members = each_block(X, slices, fit_member, jobs)
        counted = y if weight is None else y[weight > 0]
        return self._store(members, totals, np.unique(counted))

    def predict_proba(self, X):
        """Return the probabilities of the classes, averaged over the blocks: (n, K)."""
        check_is_fitted(self)
        total = 0.0
        for member, weight in zip(self.estimators_, self.weights_):
            found = member.predict_proba(X)
            part = np.zeros((len(found), len(self.classes_)))
            part[:, np.searchsorted(self.classes_, member.classes_)] = weight * found
            total = total + part
        return total

    def predict(self, X):
        """Return the most probable class of each row: (n,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    @property
    def n_features_in_(self):
        """The number of features that the members have seen."""
        return self.estimators_[0].n_features_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def _fit_labels(self, source, Y, parents, sample_weight):
        """Return a fitted clone for every label of blocks, all made in one pass.

        A label with one value gets a ConstantLabel.

        Parameters
        ----------
        source : BlockSource
        Y : CSR matrix (n, L)
        parents : bool array (L, L)
            Which labels are features of which.
        sample_weight : array (n,) or (n, L), or None
        """
        self._check(sample_weight)
        weight = np.ones(Y.shape[0]) if sample_weight is None else sample_weight
        labels, slices = range(Y.shape[1]), source.slices
        fitted = [constant_label(Y[:, [j]].toarray()[:, 0], own_weights(weight, j)) for j in labels]
        varying = [j for j in labels if fitted[j] is None]
        plans = self._plans(slices, weight, varying)
        jobs = [
            (
                {j: plans[j][1][number] for j in varying},
                Y[rows],
                None if sample_weight is None else sample_weight[rows],
                parents,
            )
            for number, rows in enumerate(slices)
        ]
        found = each_block(source, slices, fit_label_members, jobs)
        for j in varying:
            members = [of_block[j] for of_block in found]
            fitted[j] = clone(self)._store(members, plans[j][0], np.arange(2, dtype=Y.dtype))
        return fitted

    def _plans(self, slices, weight, labels):
        """Return the weights of the blocks and their unfitted members, for every label."""

        def plan(weight):
            totals = block_totals(slices, weight)
            return totals, deal_members(self.estimator, totals)

        if weight.ndim == 1:
            return dict.fromkeys(labels, plan(weight))
        return {j: plan(weight[:, j]) for j in labels}

    def _enter(self, X, y, sample_weight):
        self._check(sample_weight)
        if isinstance(X, BlockSource):
            return X, y, sample_weight
        if is_dask(X):
            raise TypeError(
                "X is a dask collection, and BlockBagging learns from those inside a model: "
                "BinaryRelevance(BlockBagging(estimator)).fit(X, Y)."
            )
        X, y = as_rows(X, "X"), column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        check_consistent_length(X, y)
        if not len(y):
            raise ValueError("X has 0 rows; give at least one.")
        return X, y, validate_weights(sample_weight, X)

    def _check(self, sample_weight):
        self._validate_params()
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"estimator={self.estimator!r} has no predict_proba, and answers of blocks are "
                "averaged as probabilities; give a classifier that has it, or "
                "CalibratedClassifierCV(estimator)."
            )
        if hasattr(self.estimator, "to_local"):
            raise ValueError(
                f"estimator={self.estimator!r} runs on the whole cluster, not on a block; give its "
                "local class, such as LGBMClassifier."
            )
        refuse_weights(self.estimator, sample_weight)

    def _store(self, members, totals, classes):
        kept = [number for number, member in enumerate(members) if member is not None]
        self.estimators_ = [members[number] for number in kept]
        self.weights_ = totals[kept] / totals[kept].sum()
        self.classes_ = classes
        return self
