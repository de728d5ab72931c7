"""What a conditional restricted Boltzmann machine accepts."""

from numbers import Integral, Real

import numpy as np
import scipy.sparse as sp

from labelfield._indicator import read_indicator
from labelfield.joints.rbm import MAX_EXACT
from labelfield.models.boltzmann.recovery import INITS
from labelfield.models.boltzmann.relatedness import LabelRelatedness

__all__ = ["check_parameters", "mean_norm", "read_labels"]

CHOICES = {
    "recovery": ("sample", "viterbi", None),
    "init": INITS,
    "optimizer": ("adagrad", "momentum"),
    "inference": ("gibbs", "mean_field"),
}
COUNTS = {
    "n_hidden": 0,
    "recover_after": 0,
    "recover_every": 1,
    "n_steps": 1,
    "batch_size": 1,
    "max_iter": 1,
    "n_draws": 1,
}
NOT_NEGATIVE = (
    "alpha",
    "coupling_alpha",
    "sparsity",
    "learning_rate",
    "momentum",
    "coupling_scale",
)


def check_parameters(model, Y):
    """Refuse impossible parameters; return the weights between labels (L, L), or None."""
    for name, choices in CHOICES.items():
        if getattr(model, name) not in choices:
            raise ValueError(f"{name} must be one of {choices}; got {getattr(model, name)!r}.")
    if model.n_steps == "exact" and Y.shape[1] > MAX_EXACT:
        raise ValueError(
            f"n_steps='exact' sums over all sets of up to {MAX_EXACT} labels; Y has {Y.shape[1]}."
        )
    for name, least in COUNTS.items():
        value = getattr(model, name)
        if name == "n_steps" and value == "exact":
            continue
        if not isinstance(value, Integral) or value < least:
            raise ValueError(f"{name} must be an integer of at least {least}; got {value!r}.")
    for name in NOT_NEGATIVE:
        value = getattr(model, name)
        if not isinstance(value, Real) or not value >= 0:
            raise ValueError(f"{name} must be a number of at least 0; got {value!r}.")
    rate = model.missing_rate
    if rate is not None and not (isinstance(rate, Real) and 0 < rate < 1):
        raise ValueError(f"missing_rate must lie between 0 and 1, or be None; got {rate!r}.")
    if rate is not None and not model.positives_only:
        raise ValueError(
            f"missing_rate={rate!r} is the chance that a present label is not named, which only "
            "positives_only=True assumes; unknown labels (NaN) need no rate."
        )
    unknown = np.isnan(Y).all(axis=0) if Y.dtype.kind == "f" else np.zeros(Y.shape[1], bool)
    if unknown.any():
        raise ValueError(
            f"label {model.label_names_[unknown.argmax()]!r} is NaN in every row, so nothing can "
            "be learned about it; drop its column."
        )
    return _pair_weights(model, Y.shape[1])


def _pair_weights(model, n_labels):
    if model.relatedness is None or model.relatedness_weight == 0:
        return None
    matrix = getattr(model.relatedness, "matrix", None)
    if matrix is None:
        matrix = LabelRelatedness(model.relatedness).matrix
    if len(matrix) != n_labels:
        raise ValueError(
            f"relatedness must be (L, L) for the {n_labels} labels of Y, in their order; got "
            f"{matrix.shape}."
        )
    return model.relatedness_weight * matrix


def mean_norm(X):
    """Return the root of the mean squared norm of the rows of X, 1 if that is 0."""
    squares = X.multiply(X).sum() if sp.issparse(X) else np.square(X, dtype=np.float64).sum()
    return float(np.sqrt(squares / X.shape[0])) or 1.0


def read_labels(y, shape):
    """Return labels of new rows as an array (n, L), with NaN where unknown."""
    ones, unknown = read_indicator(y, "y")
    if sp.issparse(ones):
        ones, unknown = ones.toarray(), unknown.toarray()
    if ones.shape != shape:
        raise ValueError(f"y must have shape {shape}; got {ones.shape}.")
    return np.where(unknown, np.nan, ones)
