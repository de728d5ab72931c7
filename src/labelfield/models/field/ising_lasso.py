"""The graph of the labels alone, without features."""

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from labelfield._parameters import choice, declare
from labelfield.models.field.correlated_logistic import CorrelatedLogistic
from labelfield.models.field.field_problem import MAX_LISTED
from labelfield.models.field.likelihoods import LIKELIHOODS

__all__ = ["IsingLasso"]


class IsingLasso(DensityMixin, BaseEstimator):
    """Ising lasso: p(y) ~ exp 1/2 [sum_l b_l s_l + sum_lm c_lm s_l s_m], most c zero, s = 2 y - 1.

    Which labels depend on each other, given all others? A link between two labels that only share
    a third one is zero, unlike their correlation.

    Parameters
    ----------
    objective : {"auto", "exact", "pseudo", "mean_field", "support"}, default="auto"
        What is minimised, see `CorrelatedLogistic`. "auto": exact while rows times sets stay
        below 2^23, else pseudo.
    alpha : float, default=10.0
        Strength of the penalty alpha |c| against the summed loss; the constants are free.
    max_iter, tol : int, float
        The solver stops when no entry of the steepest descent exceeds `tol` times the largest
        entry of the gradient without couplings.

    Attributes
    ----------
    intercept_ : array of shape (L,)
    edges_, coupling_ : arrays of shape (E, 2) and (E,)
    label_graph_ : LabelGraph
    trace_ : Trace

    References
    ----------
    Ravikumar, Wainwright, Lafferty (2010): High-dimensional Ising model selection using
    l1-regularized logistic regression. Annals of Statistics.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import IsingLasso
    >>> rng = np.random.default_rng(0)
    >>> first = rng.random(300) < 0.5
    >>> second = first ^ (rng.random(300) < 0.1)
    >>> third = second ^ (rng.random(300) < 0.1)
    >>> Y = np.column_stack([first, second, third]).astype(int)
    >>> graph = IsingLasso(objective="pseudo", alpha=20.0).fit(Y).label_graph_
    >>> [(a, b) for a, b, _ in graph.edges()]
    [('y0', 'y1'), ('y1', 'y2')]
    """

    _parameter_constraints = declare(
        "alpha", "max_iter", "tol", objective=[choice("auto", *LIKELIHOODS)]
    )

    def __init__(self, *, objective="auto", alpha=10.0, max_iter=2000, tol=1e-6):
        self.objective = objective
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y=None, sample_weight=None):
        """Fit to label sets.

        Parameters
        ----------
        X : 0/1 array, CSR matrix or data frame of shape (n, L)
            Label sets.
        y : ignored
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts as that row twice, one of weight 0 as none.

        Returns
        -------
        self
        """
        self._validate_params()
        X = X if hasattr(X, "shape") else np.asarray(X)
        if len(X.shape) != 2:
            raise ValueError(f"X must be label sets of shape (n, L); got {X.shape}.")
        n_rows, n_labels = X.shape
        many = n_rows * 2.0**n_labels > MAX_LISTED
        self._model = CorrelatedLogistic(
            objective="pseudo" if self.objective == "auto" and many else self.objective,
            alpha=1.0,
            edge_alpha=self.alpha,
            edge_l1_ratio=1.0,
            max_iter=self.max_iter,
            tol=self.tol,
        ).fit(np.zeros((n_rows, 1)), X, sample_weight)
        self.n_features_in_ = n_labels
        self.intercept_ = self._model.intercept_
        self.edges_, self.coupling_ = self._model.edges_, self._model.coupling_
        self.trace_, self.n_iter_ = self._model.trace_, self._model.n_iter_
        return self

    @property
    def label_graph_(self):
        """The learned graph."""
        check_is_fitted(self)
        return self._model.label_graph_

    def joint(self, n_rows=1):
        """Return the field as a joint of `n_rows` equal rows."""
        check_is_fitted(self)
        return self._model.predict_joint(np.zeros((n_rows, 1)))

    def score_samples(self, Y):
        """Return log p(y) of label sets Y (n, L): (n,)."""
        return self.joint(len(Y)).log_prob(Y)

    def score(self, X, y=None):
        """Return the mean of log p(y) over label sets X (n, L)."""
        return float(self.score_samples(X).mean())
