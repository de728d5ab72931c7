"""A machine with a kernel on the distance of rows, for many targets at once."""

import numpy as np
import scipy.sparse as sp
from scipy.stats import norm
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import StandardScaler, normalize

from labelfield import kernels
from labelfield.learners.ridge import KernelRidge, LandmarkRidge

__all__ = ["KernelMachine", "KernelView", "mean_kernel"]

WIDEST_RANK = 3.0  # normal scores of ranks are cut here
WIDEST = 4.0  # and standardised features of directions here
N_QUANTILES = 200


class NormalScores:
    """Columns by the normal scores of the ranks that their values would have in training."""

    def fit(self, X):
        """Learn quantiles of the columns of X (n, d)."""
        levels = np.linspace(0.0, 1.0, min(N_QUANTILES, len(X)))
        self.known = []
        for column in np.quantile(X, levels, axis=0).T:
            values, first = np.unique(column, return_index=True)
            last = np.append(first[1:], len(levels)) - 1
            scores = norm.ppf((levels[first] + levels[last]) / 2.0)
            scores[-1], scores[0] = WIDEST_RANK, -WIDEST_RANK  # the extremes, however frequent
            self.known.append((values, np.clip(scores, -WIDEST_RANK, WIDEST_RANK)))
        return self

    def transform(self, X):
        """Return the scores of X (n, d), interpolated between the quantiles."""
        return np.stack([np.interp(x, *known) for x, known in zip(X.T, self.known)], axis=1)


class KernelView:
    """Features as the kernel compares them.

    Parameters
    ----------
    scaling : {"standard", "squares", "ranks", "unit", "rare", "directions"}
        Standardised columns, compared by absolute or by squared differences; normal scores of the
        ranks in each column; rows of length one; the same with rare columns of a sparse matrix
        weighing more (1 + the log of rows per row that has one); standardised columns cut off at
        4, then rows of length one, so that only the profile of a row counts and not how far it is
        from the mean.
    """

    def __init__(self, scaling):
        self.scaling = scaling

    def fit(self, X):
        """Learn the scaling of X (n, d)."""
        if self.scaling in ("standard", "squares", "directions"):
            self.scaler = StandardScaler().fit(X)
        elif self.scaling == "ranks":
            self.scaler = NormalScores().fit(X)
        elif self.scaling == "rare":
            self.weight = 1.0 + np.log((1.0 + X.shape[0]) / (1.0 + X.getnnz(axis=0)))
        return self

    def transform(self, X):
        """Return the scaled features of X (n, d)."""
        if self.scaling == "unit":
            return normalize(X)
        if self.scaling == "rare":
            return normalize(X.multiply(self.weight).tocsr())
        scaled = self.scaler.transform(X)
        if self.scaling == "directions":
            return normalize(np.clip(scaled, -WIDEST, WIDEST))
        return scaled

    def distances(self, A, B):
        """Return the distances of scaled rows: mean difference (or square), or 2 - 2 cosine."""
        if self.scaling == "squares":
            return euclidean_distances(A, B, squared=True) / A.shape[1]
        if self.scaling in ("unit", "rare", "directions"):
            inner = A @ B.T
            return np.maximum(2.0 - 2.0 * (inner.toarray() if sp.issparse(inner) else inner), 0.0)
        return (
            kernels.losses.differences.sums_of_differences(A, np.ascontiguousarray(B.T))
            / A.shape[1]
        )


class KernelMachine:
    """Ridge regression of many targets on the kernel exp(-rate * distance) to landmark rows.

    With all rows as landmarks it is kernel ridge regression; with fewer of them, its Nystroem
    approximation. The distance is the mean absolute difference of scaled features (the Laplacian
    kernel, which single far-off features cannot dominate), the mean square (the Gaussian kernel),
    or 2 - 2 cosine of sparse rows.

    Parameters
    ----------
    views : sequence of KernelView, fitted
        The kernel is the mean of theirs.
    rate : float
        Of all views.
    landmarks : array or CSR matrix (m, d)

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners import KernelMachine, KernelView
    >>> X = np.linspace(0.0, 3.0, 30)[:, None]
    >>> view = KernelView("standard").fit(X)
    >>> machine = KernelMachine([view], 2.0, X)
    >>> problem = machine.problem(X, np.sin(X))
    >>> machine.fit(problem, 1e-3).decision(np.array([[1.0]])).round(1).tolist()
    [[0.8]]
    """

    def __init__(self, views, rate, landmarks):
        self.views = tuple(views)
        self.rate = rate
        self.rows = landmarks
        self.landmarks = [view.transform(landmarks) for view in self.views]

    def problem(self, X, targets, sample_weight=None, chosen=None):
        """Return the ridge regression of targets (n, t) on rows X (n, d).

        `chosen` (m,) tells which of the rows the landmarks are, if they are some of them.
        """
        kernel = self._kernel(X)
        if X is self.rows:
            return KernelRidge(kernel, targets, sample_weight)
        among = self._kernel(self.rows) if chosen is None else kernel[chosen]
        return LandmarkRidge(among, kernel, targets, sample_weight)

    def fit(self, problem, penalty):
        """Store the weights of the landmarks, in all targets of the problem."""
        self.offset_ = problem.mean
        self.weights_ = problem.solve(penalty)
        return self

    def decision(self, X):
        """Return the regressions at rows X (n, d): (n, t)."""
        return self._kernel(X) @ self.weights_ + self.offset_

    def _kernel(self, X):
        """Return the mean over the views of the kernels to the landmarks: (n, m)."""
        scaled = [view.transform(X) for view in self.views]
        return mean_kernel(self.views, self.rate, scaled, self.landmarks)


def mean_kernel(views, rate, rows, others):
    """Return the mean over the views of exp(-rate * distance): (n, m).

    rows and others hold the rows (n, d) and (m, d) as each of the views scales them.
    """
    total = 0.0
    for view, scaled, landmarks in zip(views, rows, others):
        distances = view.distances(scaled, landmarks)
        total = total + np.exp(-rate * distances, out=distances)
    return total / len(views)
