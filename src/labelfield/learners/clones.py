"""Clones of other people's estimators, fitted with weights where they take some."""

from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

__all__ = ["fit_clone", "takes_weights"]


def takes_weights(estimator):
    """Return whether rows can be weighted: in `fit`, or in that of a pipeline's last step."""
    if has_fit_parameter(estimator, "sample_weight"):
        return True
    return isinstance(estimator, Pipeline) and takes_weights(estimator.steps[-1][1])


def fit_clone(estimator, X, y, sample_weight=None):
    """Return a clone fitted to rows X and targets y, with weights (n,) if there are any."""
    if sample_weight is None:
        return clone(estimator).fit(X, y)
    if not takes_weights(estimator):
        raise ValueError(
            f"sample_weight was given, but the fit of {type(estimator).__name__} takes none."
        )
    return clone(estimator).fit(X, y, **{_name_of_weights(estimator): sample_weight})


def _name_of_weights(estimator):
    """Return what the weights are called in `fit`: those of a step begin with its name."""
    by_step = not has_fit_parameter(estimator, "sample_weight")
    if not by_step or get_config()["enable_metadata_routing"]:
        return "sample_weight"
    name, last = estimator.steps[-1]
    return f"{name}__{_name_of_weights(last)}"
