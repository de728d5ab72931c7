"""What a conditional restricted Boltzmann machine accepts."""

import numpy as np
import scipy.sparse as sp

from labelfield._gate.indicator import read_indicator
from labelfield.joints.rbm import MAX_EXACT
from labelfield.models.boltzmann.relatedness import LabelRelatedness

__all__ = ["check_labels", "mean_norm", "read_labels"]


def check_labels(model, Y):
    """Refuse arguments that do not suit Y (n, L); return weights between labels (L, L) or None."""
    exact = model.training is not None and model.training.n_steps == "exact"
    if exact and Y.shape[1] > MAX_EXACT:
        raise ValueError(
            f"n_steps='exact' sums over all sets of up to {MAX_EXACT} labels; Y has {Y.shape[1]}."
        )
    rate = model.missing_rate
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
