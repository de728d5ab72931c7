"""Classifiers of labels and of pairs of labels, joined on a tree."""

import numpy as np

from labelfield._parameters import STRENGTH, declare
from labelfield.base import WeightedJointClassifier
from labelfield.joints import IsingJoint
from labelfield.label_graph import LabelGraph, maximum_spanning_forest
from labelfield.learners import (
    LogisticLearner,
    MultinomialLearner,
    as_design,
    find_spectrum,
    settle_strength,
)
from labelfield.models.field.rows import row_mean, row_weights

__all__ = ["LabelEnhancement"]


class LabelEnhancement(WeightedJointClassifier):
    """PLEM: logistic regressions of labels and of pairs of labels, joined on a spanning tree.

    Pairs of labels that occur together most often, a maximum spanning tree of them, become labels
    of their own with four states. Every label and every pair is learned separately (piecewise), and
    the score of a label set is the sum of their log-probabilities: a field on a tree, exact.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Strength of the l2 penalty against the summed loss, 1 / C of scikit-learn; "auto" takes
        what is best for the labels, see `BinaryRelevance`.
    max_iter, tol : int, float
        Of the logistic and multinomial regressions.
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    edges_ : array of shape (E, 2)
        The pairs of the tree.
    labels_ : LogisticLearner
    pairs_ : list of MultinomialLearner
        One per edge; states in the order neither, second, first, both.
    label_graph_ : LabelGraph
        Mean couplings over the training rows.
    alpha_, strength_path_ : float, StrengthPath
        The strength and how it was chosen (None where it was not).
    trace_ : Trace
        Of the regressions of the labels.

    References
    ----------
    Li, Zhao, Guo (2014): Multi-label image classification with a probabilistic label enhancement
    model. UAI.

    Examples
    --------
    >>> from labelfield import LabelEnhancement
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=100, n_labels=4, random_state=0)
    >>> model = LabelEnhancement().fit(data.X, data.Y)
    >>> model.edges_.shape, model.predict(data.X[:2]).shape
    ((3, 2), (2, 4))
    """

    _parameter_constraints = declare("max_iter", "tol", "decoder", alpha=STRENGTH)

    def __init__(self, *, alpha="auto", max_iter=1000, tol=1e-6, decoder="subset"):
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder

    def _fit(self, X, Y, sample_weight=None):
        together = Y.T.astype(np.float64) @ (row_weights(sample_weight, len(Y))[:, None] * Y)
        self.edges_ = maximum_spanning_forest(together)
        self.alpha_, self.strength_path_ = settle_strength(self.alpha, X, Y, sample_weight)
        options = {"alpha": self.alpha_, "max_iter": self.max_iter, "tol": self.tol}
        design = as_design(X)
        self.labels_ = LogisticLearner(**options).fit(design, Y, sample_weight)
        spectrum = find_spectrum(design, sample_weight) if len(self.edges_) else None
        self.pairs_ = [
            MultinomialLearner(**options).fit(
                design,
                np.eye(4)[2 * Y[:, first].astype(int) + Y[:, second]],
                sample_weight,
                spectrum=spectrum,
            )
            for first, second in self.edges_
        ]
        self.trace_ = self.labels_.trace_
        self.n_iter_ = max(1, *(part.n_iter_ for part in (self.labels_, *self.pairs_)))
        self._mean_coupling = row_mean(self._field(X)[1], sample_weight)

    def _field(self, X):
        """Return the unary terms (n, L) and the couplings (n, E)."""
        unary = np.asarray(self.labels_.decision(X), dtype=np.float64)
        coupling = np.empty((X.shape[0], len(self.edges_)))
        for e, ((first, second), pair) in enumerate(zip(self.edges_, self.pairs_)):
            neither, only_second, only_first, both = pair.log_proba(X).T
            unary[:, first] += only_first - neither
            unary[:, second] += only_second - neither
            coupling[:, e] = both + neither - only_first - only_second
        return unary, coupling

    def _joint(self, X):
        unary, coupling = self._field(X)
        return IsingJoint(unary, self.edges_, coupling)

    def _bytes_per_row(self):
        return 64.0 * (len(self.edges_) + 1)

    @property
    def label_graph_(self):
        """The tree with mean couplings over the training rows."""
        return LabelGraph(
            tuple(self.label_names_),
            self.edges_,
            self._mean_coupling,
            explanation="Links are mean couplings of pairs learned as labels of their own.",
        )
