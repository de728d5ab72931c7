"""Clones of other people's estimators, fitted with weights where they take some."""

from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

__all__ = ["fit_clone", "refuse_weights", "takes_weights"]


def takes_weights(estimator):
    """Return whether rows can be weighted: in `fit`, or in that of a pipeline's last step."""
    if has_fit_parameter(estimator, "sample_weight"):
        return True
    return isinstance(estimator, Pipeline) and takes_weights(estimator.steps[-1][1])


def refuse_weights(estimator, sample_weight):
    """Refuse weights where the fit of the estimator, or of its last step, takes none."""
    if sample_weight is not None and not takes_weights(estimator):
        last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
        raise ValueError(
            f"sample_weight was given, but the fit of {type(last).__name__} takes none."
        )


def fit_clone(estimator, X, y, sample_weight=None):
    """Return a clone fitted to rows X and targets y, with weights (n,) if there are any.

    Weights go to the last step of a pipeline.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from labelfield.learners.clones import fit_clone
    >>> X, y = np.array([[-1.0], [1.0], [2.0]]), np.array([0, 1, 0])
    >>> model = make_pipeline(StandardScaler(), LogisticRegression())
    >>> fit_clone(model, X, y, np.array([1.0, 1.0, 0.0])).predict(X).tolist()
    [0, 1, 1]
    """
    if sample_weight is None:
        return clone(estimator).fit(X, y)
    refuse_weights(estimator, sample_weight)
    return clone(estimator).fit(X, y, **{_name_of_weights(estimator): sample_weight})


def _name_of_weights(estimator):
    """Return what the weights are called in `fit`: those of a step begin with its name."""
    by_step = not has_fit_parameter(estimator, "sample_weight")
    if not by_step or get_config()["enable_metadata_routing"]:
        return "sample_weight"
    name, last = estimator.steps[-1]
    return f"{name}__{_name_of_weights(last)}"
