"""PLST: labels regressed in the space of their principal components."""

import numpy as np

from labelfield._parameters import declare, positive, whole
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.models.incomplete.ridge import Ridge

__all__ = ["PrincipalLabelSpace"]

STEEPNESS = 8.0  # log-odds per unit of score; decisions see the sign only


class PrincipalLabelSpace(JointClassifier):
    """PLST: ridge regressions of the labels' first principal components, mapped back and rounded.

    With all components this is a linear regression of every label.

    Parameters
    ----------
    n_components : int, optional
        All by default.
    alpha : float, default=1.0
        Strength of the ridge penalty against the summed squares.
    decoder : str or Decoder, default="hamming"
        "hamming" rounds each label, as the paper does.

    Attributes
    ----------
    components_ : array of shape (M, L)
        Orthonormal directions of label space.
    coef_, intercept_ : arrays of shape (d, L) and (L,)

    References
    ----------
    Tai, Lin (2012): Multilabel classification with principal label space transformation.
    Neural Computation 24(9).

    Examples
    --------
    >>> from lab.comparators.plst import PrincipalLabelSpace
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> PrincipalLabelSpace(n_components=2).fit(data.X, data.Y).components_.shape
    (2, 4)
    """

    _parameter_constraints = declare("decoder", alpha=[positive], n_components=[whole(1), None])

    def __init__(self, *, n_components=None, alpha=1.0, decoder="hamming"):
        self.n_components = n_components
        self.alpha = alpha
        self.decoder = decoder

    def _fit(self, X, Y):
        mean = Y.mean(axis=0)
        directions = np.linalg.svd(Y - mean, full_matrices=False)[2]
        self.components_ = directions[: self.n_components]
        weights, constants = Ridge(X, self.alpha).solve((Y - mean) @ self.components_.T)
        self.coef_ = weights @ self.components_
        self.intercept_ = constants @ self.components_ + mean

    def _joint(self, X):
        scores = np.asarray(X @ self.coef_, dtype=np.float64) + self.intercept_
        return IndependentJoint(STEEPNESS * (scores - 0.5))
