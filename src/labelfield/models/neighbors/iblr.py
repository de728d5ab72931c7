"""Logistic regression on the labels of neighbours."""

import numpy as np

from labelfield._parameters import STRENGTH, declare, whole
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.learners.conditional import append_columns, fit_labels
from labelfield.models.neighbors.neighborhood import LabelNeighborhood

__all__ = ["InstanceBasedLogistic"]


class InstanceBasedLogistic(JointClassifier):
    """IBLR-ML: logistic regression on how many neighbours carry each label.

    Parameters
    ----------
    n_neighbors : int, default=10
    passthrough : bool, default=False
        Whether the features of the row itself stand beside the counts (IBLR-ML+).
    alpha : float or "auto", default="auto"
        Strength of the l2 penalty against the summed loss, see `BinaryRelevance`; the paper has
        none.
    metric : str or callable, default="euclidean"
    max_iter, tol : int, float
    decoder : str or Decoder, default="subset"
    n_jobs : int, optional

    References
    ----------
    Cheng, Hullermeier (2009): Combining instance-based learning and logistic regression for
    multilabel classification. Machine Learning 76.

    Examples
    --------
    >>> from labelfield import InstanceBasedLogistic
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> InstanceBasedLogistic(n_neighbors=5).fit(X, Y).predict(X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = declare(
        "passthrough",
        "max_iter",
        "tol",
        "decoder",
        "n_jobs",
        alpha=STRENGTH,
        n_neighbors=[whole(1)],
        metric=[str, callable],
    )

    def __init__(
        self,
        *,
        n_neighbors=10,
        passthrough=False,
        alpha="auto",
        metric="euclidean",
        max_iter=1000,
        tol=1e-6,
        decoder="subset",
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.passthrough = passthrough
        self.alpha = alpha
        self.metric = metric
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.n_jobs = n_jobs

    def _fit(self, X, Y):
        self.neighborhood_ = LabelNeighborhood(X, Y, self.n_neighbors, self.metric, self.n_jobs)
        self.problems_ = fit_labels(
            None,
            self._features(X, self.neighborhood_.training_counts(X)),
            Y,
            alpha=self.alpha,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.alpha_, self.strength_path_ = self.problems_.alpha, self.problems_.path
        self.n_iter_ = self.problems_.n_iter

    def _features(self, X, counts):
        shares = (counts / self.neighborhood_.n_neighbors).astype(X.dtype)
        return append_columns(X, shares) if self.passthrough else shares

    def _joint(self, X):
        features = self._features(X, self.neighborhood_.counts(X))
        return IndependentJoint(np.asarray(self.problems_.log_odds(features)))
