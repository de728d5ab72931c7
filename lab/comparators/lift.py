"""LIFT: a classifier per label on distances to the centres of its own clusters."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.svm import SVC

from labelfield._gate.validation import as_generator
from labelfield._parameters import declare, positive, share
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.learners.conditional import fit_labels

__all__ = ["LabelSpecificFeatures"]


class LabelSpecificFeatures(JointClassifier):
    """LIFT: a linear machine per label on the distances to its positive and negative centres.

    The rows that have a label, and those that have it not, are clustered by k-means into
    m = ceil(ratio min(#positive, #negative)) clusters each.

    Parameters
    ----------
    ratio : float in [0, 1], default=0.1
    C : float, default=1.0
        Of the linear machines.
    decoder : str or Decoder, default="hamming"
    random_state : int, Generator or None
        Of the starts of k-means.

    Attributes
    ----------
    centers_ : list of L arrays of shape (2 m, d)
        Positive centres first.

    References
    ----------
    Zhang, Wu (2015): LIFT: multi-label learning with label-specific features. TPAMI 37(1).

    Examples
    --------
    >>> from lab.comparators.lift import LabelSpecificFeatures
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> model = LabelSpecificFeatures(random_state=0).fit(data.X, data.Y)
    >>> model.predict(data.X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = declare("decoder", "random_state", ratio=[share], C=[positive])

    def __init__(self, *, ratio=0.1, C=1.0, decoder="hamming", random_state=None):
        self.ratio = ratio
        self.C = C
        self.decoder = decoder
        self.random_state = random_state

    def _fit(self, X, Y):
        machine = SVC(kernel="linear", C=self.C)
        self.centers_, self.problems_ = [], []
        for label in range(Y.shape[1]):
            centers = self._find_centers(X, Y[:, label] == 1)
            features = euclidean_distances(X, centers)
            self.centers_.append(centers)
            self.problems_.append(fit_labels(machine, features, Y[:, [label]]))

    def _find_centers(self, X, present):
        """Return the centres (2 m, d) of the rows with and without a label."""
        parts = [np.flatnonzero(present), np.flatnonzero(~present)]
        fewest = min(map(len, parts))
        if not fewest:  # a constant label needs no features
            return np.zeros((1, X.shape[1]))
        seed = int(as_generator(self.random_state).integers(2**31))
        m = max(1, int(np.ceil(self.ratio * fewest)))
        means = [KMeans(m, n_init=1, random_state=seed).fit(X[rows]) for rows in parts]
        return np.concatenate([mean.cluster_centers_ for mean in means])

    def _joint(self, X):
        scores = [
            problem.log_odds(euclidean_distances(X, centers))
            for problem, centers in zip(self.problems_, self.centers_)
        ]
        return IndependentJoint(np.concatenate(scores, axis=1))
