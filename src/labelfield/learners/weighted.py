"""Weighted fits of any scikit-learn classifier."""

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

__all__ = ["fit_weighted", "refuse_weights"]


def refuse_weights(estimator, sample_weight):
    """Refuse weights where the fit of the estimator, or of its last step, takes none."""
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    if sample_weight is not None and not has_fit_parameter(last, "sample_weight"):
        raise ValueError(
            f"sample_weight was given, but the fit of {type(last).__name__} takes none."
        )


def fit_weighted(estimator, X, Y, sample_weight=None):
    """Return a fitted clone; weights (n,) go to the last step of a pipeline.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from labelfield.learners.weighted import fit_weighted
    >>> X, y = np.array([[-1.0], [1.0], [2.0]]), np.array([0, 1, 0])
    >>> model = make_pipeline(StandardScaler(), LogisticRegression())
    >>> fit_weighted(model, X, y, np.array([1.0, 1.0, 0.0])).predict(X).tolist()
    [0, 1, 1]
    """
    if sample_weight is None:
        return clone(estimator).fit(X, Y)
    refuse_weights(estimator, sample_weight)
    name = "sample_weight"
    if isinstance(estimator, Pipeline):
        name = f"{estimator.steps[-1][0]}__{name}"
    return clone(estimator).fit(X, Y, **{name: sample_weight})
