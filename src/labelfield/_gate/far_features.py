"""Features whose values are far from zero compared with their spread."""

import numpy as np
import scipy.sparse as sp

from labelfield._namespaces import is_sparse_tensor, namespace, to_host

__all__ = ["refuse_far_features", "refuse_far_moments"]

MAX_SHIFT = 1e5  # times the standard deviation: five digits of a feature are lost beyond


def refuse_far_features(estimator, X):
    """Refuse dense columns whose values are far from zero compared with their spread.

    For models whose penalty or solver does not take out the mean of a feature.
    """
    if sp.issparse(X) or is_sparse_tensor(X) or X.shape[0] < 2:
        return
    xp = namespace(X)
    refuse_far_moments(estimator, to_host(xp.mean(X, axis=0)), to_host(xp.std(X, axis=0)))


def refuse_far_moments(estimator, mean, spread):
    """Refuse columns by their means and standard deviations: (d,) both."""
    mean = np.abs(mean)
    varies = spread > 1e-12 * mean  # below is rounding: the column is constant
    far = np.flatnonzero(varies & (mean > MAX_SHIFT * spread))
    if len(far):
        j = far[0]
        raise ValueError(
            f"Column {j} of X has mean {mean[j]:.3g} but standard deviation {spread[j]:.3g}, too "
            f"far from zero for {type(estimator).__name__}. Centre the features, for example with "
            "sklearn.preprocessing.StandardScaler."
        )
