"""Bayesian reading of label counts among neighbours."""

import numpy as np

from labelfield._parameters import declare, number, whole
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.models.neighbors.neighborhood import LabelNeighborhood

__all__ = ["MLkNN"]


class MLkNN(JointClassifier):
    """ML-kNN: the posterior of each label given how many neighbours carry it.

    Parameters
    ----------
    n_neighbors : int, default=10
    smoothing : float, default=1.0
        Added to every count.
    count_self : bool, default=False
        Whether a training row is its own nearest neighbour while counting. The paper does not count
        it; scikit-multilearn does, and with True the predictions are the same as there.
    metric : str or callable, default="euclidean"
        Distance, as scikit-learn's NearestNeighbors takes it.
    decoder : str or Decoder, default="subset"
    n_jobs : int, optional

    Attributes
    ----------
    log_odds_ : array of shape (n_neighbors + 1, L)
        Posterior log-odds of a label by the number of neighbours that carry it.

    References
    ----------
    Zhang, Zhou (2007): ML-KNN: a lazy learning approach to multi-label learning.
    Pattern Recognition 40(7).

    Examples
    --------
    >>> from labelfield import MLkNN
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> MLkNN(n_neighbors=5).fit(X, Y).predict(X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = declare(
        "decoder",
        "n_jobs",
        n_neighbors=[whole(1)],
        smoothing=[number(1e-100, 1e100, closed="both")],
        count_self=["boolean"],
        metric=[str, callable],
    )

    def __init__(
        self,
        *,
        n_neighbors=10,
        smoothing=1.0,
        count_self=False,
        metric="euclidean",
        decoder="subset",
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.count_self = count_self
        self.metric = metric
        self.decoder = decoder
        self.n_jobs = n_jobs

    def _fit(self, X, Y):
        self.neighborhood_ = LabelNeighborhood(X, Y, self.n_neighbors, self.metric, self.n_jobs)
        counts = self.neighborhood_.training_counts(X, self.count_self)
        with_label = _histogram(counts, Y == 1, self.neighborhood_.n_neighbors)
        without = _histogram(counts, Y == 0, self.neighborhood_.n_neighbors)
        s = self.smoothing
        prior = (s + Y.sum(axis=0)) / (s + (1 - Y.astype(int)).sum(axis=0))
        likelihood = _smoothed(with_label, s) / _smoothed(without, s)
        self.log_odds_ = np.log(prior * likelihood)

    def _joint(self, X):
        counts = self.neighborhood_.counts(X)
        return IndependentJoint(np.take_along_axis(self.log_odds_, counts, axis=0))


def _histogram(counts, chosen, k):
    """Return how many chosen rows have each count: (k + 1, L)."""
    return np.stack([((counts == c) & chosen).sum(axis=0) for c in range(k + 1)])


def _smoothed(histogram, s):
    return (s + histogram) / (s * len(histogram) + histogram.sum(axis=0))
