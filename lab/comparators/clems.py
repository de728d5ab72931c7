"""CLEMS: label sets embedded so that their distances tell what confusing them costs."""

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.ensemble import RandomForestRegressor
from sklearn.isotonic import isotonic_regression
from sklearn.metrics.pairwise import euclidean_distances

from lab.comparators.costs import COSTS
from labelfield._gate.validation import as_generator
from labelfield._parameters import choice, declare, whole
from labelfield.base import JointClassifier
from labelfield.joints import SupportJoint
from labelfield.kernels.sets.logspace import logsumexp

__all__ = ["CostEmbedding", "embed"]


class CostEmbedding(JointClassifier):
    """CLEMS: a forest predicts the place of a row among embedded label sets; the nearest is taken.

    The sets of the training rows are placed by non-metric multidimensional scaling, such that
    larger costs stand for larger distances. Costs that treat truth and prediction alike, such as
    these, need one place per set.

    Parameters
    ----------
    cost : {"f1", "hamming"}, default="f1"
    n_components : int, optional
        Dimensions of the embedding; as many as labels by default.
    n_trees : int, default=100
    max_iter : int, default=300
        Rounds of the scaling at most.
    decoder : str or Decoder, default="subset"
        "subset" takes the nearest set.
    random_state : int, Generator or None
        Of the forest.

    Attributes
    ----------
    sets_, places_ : arrays of shape (M, L) and (M, n_components)

    References
    ----------
    Huang, Lin (2017): Cost-sensitive label embedding for multi-label classification. Machine
    Learning 106.

    Examples
    --------
    >>> from lab.comparators.clems import CostEmbedding
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> CostEmbedding(n_trees=10, random_state=0).fit(data.X, data.Y).predict(data.X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = declare(
        "max_iter",
        "decoder",
        "random_state",
        cost=[choice(*COSTS)],
        n_components=[whole(1), None],
        n_trees=[whole(1)],
    )

    def __init__(
        self,
        *,
        cost="f1",
        n_components=None,
        n_trees=100,
        max_iter=300,
        decoder="subset",
        random_state=None,
    ):
        self.cost = cost
        self.n_components = n_components
        self.n_trees = n_trees
        self.max_iter = max_iter
        self.decoder = decoder
        self.random_state = random_state

    def _fit(self, X, Y):
        self.sets_, codes = np.unique(Y, axis=0, return_inverse=True)
        rows = [COSTS[self.cost](truth, self.sets_) for truth in self.sets_]
        self.places_, self.stress_ = embed(
            np.sqrt(np.array(rows)), self.n_components or Y.shape[1], self.max_iter
        )
        seed = int(as_generator(self.random_state).integers(2**31))
        forest = RandomForestRegressor(self.n_trees, max_features=1 / 3, random_state=seed)
        targets = self.places_[codes.ravel()]
        self.forest_ = forest.fit(X, targets if targets.shape[1] > 1 else targets.ravel())

    def _joint(self, X):
        places = self.forest_.predict(X).reshape(-1, self.places_.shape[1])
        log_weights = -euclidean_distances(places, self.places_, squared=True)
        return SupportJoint(self.sets_, log_weights - logsumexp(log_weights, axis=1)[:, None])

    def _bytes_per_row(self):
        return 32.0 * len(self.sets_)


def embed(wanted, n_components, max_iter, tol=1e-5):
    """Return places (M, k) whose distances rise with those wanted (M, M), and their stress.

    Begins with classical scaling, then moves the places by majorisation (SMACOF) towards the
    distances of the least squares that rise with those wanted.
    """
    M = len(wanted)
    square = -0.5 * wanted**2
    square = square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean()
    values, vectors = np.linalg.eigh(square)
    chosen = np.argsort(values)[::-1][:n_components]
    places = np.zeros((M, n_components))
    places[:, : len(chosen)] = vectors[:, chosen] * np.sqrt(np.maximum(values[chosen], 0.0))
    pairs = squareform(wanted, checks=False)
    order = np.lexsort((pdist(places), pairs))
    last = np.inf
    for _ in range(max_iter):
        distances = pdist(places)
        rising = np.empty_like(distances)
        rising[order] = isotonic_regression(distances[order])
        total = np.square(distances).sum()
        stress = np.sqrt(np.square(distances - rising).sum() / total) if total else 0.0
        if stress < tol or last - stress < tol * last:
            break
        last = stress
        rising *= np.sqrt(total / np.square(rising).sum())
        pull = squareform(rising / np.maximum(distances, 1e-12))
        places = (pull.sum(axis=1)[:, None] * places - pull @ places) / M
    return places, stress
