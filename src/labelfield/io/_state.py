"""What must be true of a fitted model, whoever wrote its file: shapes, finite numbers, indices."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelfield._exceptions import ModelFileError

__all__ = ["check_state"]

# Shapes of learned attributes: L labels, d features, E edges, M listed sets, T terms, K hidden
# units, p columns. Every letter means one number within an object.
_CLASSIFIER = {
    "feature_names_in_": ["d"],
    "intercept_": ["L"],
    "coef_": ["L d", "d+1 T"],
    "sets_": ["M L"],
    "order_": ["L"],
    "edges_": ["E 2"],
    "edge_coef_": ["E d"],
    "edge_intercept_": ["E"],
    "coupling_": ["E", "L K"],
}
# Weights of fields on the log-odds of another classifier: a scale per label, or weights of all.
_ON_LOG_ODDS = _CLASSIFIER | {"coef_": ["L 1", "L+1 T"]}
_LEARNER = {
    "coef_": ["p C"],
    "intercept_": ["C"],
    "coef": ["p C"],
    "intercept": ["C"],
    "slope_": ["C B", "C"],
    "shift_": ["C"],
    "constants_": ["S"],
    "sets": ["S C"],
    "offset_": ["t"],
    "children": ["N 2"],
    "feature": ["N"],
    "threshold": ["N"],
}
_SCALER = {"mean_": ["d"], "scale_": ["d"], "var_": ["d"]}
_FINITE = ("coef_", "intercept_", "coupling_", "coef", "intercept", "mean_", "scale_")


def check_state(path: Any, model: Any) -> None:
    """Refuse a loaded model whose parts do not fit together; sparse matrices become canonical."""
    for part in _walk(model):
        if sp.issparse(part):
            _check_sparse(path, part)
        elif not isinstance(part, np.ndarray | str | list | tuple | dict):
            _check_object(path, part)


def _walk(model: Any) -> Iterator[Any]:
    """The model and everything inside it, each once."""
    seen: set[int] = set()
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple):
            waiting.extend(part)
        elif isinstance(part, np.ndarray):
            waiting.extend(part.ravel().tolist() if part.dtype == object else ())
        elif not isinstance(part, type) and not sp.issparse(part):
            waiting.extend(getattr(part, "__dict__", {}).values())


def _check_sparse(path: Any, matrix: Any) -> None:
    try:
        if hasattr(matrix, "check_format"):  # CSR and CSC; scipy itself checks the other forms
            matrix.check_format(full_check=True)
    except ValueError as error:
        raise ModelFileError(f"{path} holds a broken sparse matrix ({error}).") from None
    if hasattr(matrix, "sum_duplicates"):
        matrix.sum_duplicates()


def _check_object(path: Any, part: Any) -> None:
    sizes = {"1": 1, "2": 2}
    if hasattr(part, "n_features_in_"):
        sizes |= {"d": part.n_features_in_, "d+1": part.n_features_in_ + 1}
    classifies = isinstance(getattr(part, "label_names_", None), np.ndarray)
    if classifies:
        rules = _CLASSIFIER if getattr(part, "source_", None) is None else _ON_LOG_ODDS
        sizes |= {"L": part.label_names_.size, "L+1": part.label_names_.size + 1}
    elif type(part).__module__.startswith("sklearn.preprocessing"):
        rules = _SCALER
    elif type(part).__module__.startswith("labelfield."):
        rules = _LEARNER
    else:
        return
    for name, shapes in rules.items():
        array = getattr(part, name, None)
        if not isinstance(array, np.ndarray):
            continue
        if not any(_fits(array.shape, shape.split(), sizes) for shape in shapes):
            raise ModelFileError(
                f"{path}: {type(part).__name__}.{name} has shape {array.shape}, which does not fit "
                f"the rest of the model; the file is damaged or was changed."
            )
        if name in _FINITE and array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ModelFileError(f"{path}: {type(part).__name__}.{name} holds NaN or infinity.")
    if hasattr(part, "is_sound") and not part.is_sound():
        raise ModelFileError(f"{path}: {type(part).__name__} is damaged or was changed.")
    if classifies:
        _check_labels(path, part, sizes["L"])


def _fits(shape: tuple[int, ...], letters: list[str], sizes: dict[str, int]) -> bool:
    """Whether a shape agrees with what the letters mean so far; new letters learn their number."""
    if len(shape) != len(letters):
        return False
    if any(sizes.get(letter, n) != n for letter, n in zip(letters, shape)):
        return False
    sizes.update(zip(letters, shape))
    return True


def _check_labels(path: Any, part: Any, n_labels: int) -> None:
    """Label numbers must be of labels that there are: kernels look them up without asking."""
    for name in ("order_", "edges_"):
        numbers = getattr(part, name, None)
        if not isinstance(numbers, np.ndarray) or not numbers.size:
            continue
        if numbers.dtype.kind not in "iu" or numbers.min() < 0 or numbers.max() >= n_labels:
            raise ModelFileError(
                f"{path}: {type(part).__name__}.{name} has numbers beyond the {n_labels} labels."
            )
