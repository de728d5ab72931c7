"""Weights of present and absent labels, turned into weights of the entries of Y."""

from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np
import scipy.sparse as sp

from labelfield._namespaces import to_host

__all__ = ["entry_weights", "numbered_class_weight", "weigh_entries"]


def entry_weights(model, Y, known, sample_weight):
    """Return what the entries of Y (n, L) count for a model with a `class_weight`."""
    return weigh_entries(
        model.class_weight,
        Y,
        sample_weight,
        known=known,
        names=model.label_names_,
        classes=model.classes_ if model._target.one_dimensional else None,
    )


def numbered_class_weight(model):
    """Return the `class_weight` of a model for a target without names, (n, L) in any case."""
    if model.class_weight is None or isinstance(model.class_weight, str):
        return model.class_weight
    classes = model.classes_ if model._target.one_dimensional else None
    pairs = _of_mapping(model.class_weight, len(model.label_names_), model.label_names_, classes)
    return {label: dict(enumerate(pair)) for label, pair in enumerate(pairs.tolist())}


def weigh_entries(class_weight, Y, sample_weight=None, *, known=None, names=None, classes=None):
    """Return what every entry of Y counts: (n, L), or the sample weights where nothing is said.

    Parameters
    ----------
    class_weight : None, "balanced" or mapping
        "balanced": the present and the absent entries of a label weigh the same in all, together as
        much as they are. A mapping has a label's name or number as key; its value is the weight of
        the label where it is present, or a mapping {0: where absent, 1: where present}.
    Y : uint8 array or CSR matrix (n, L)
    sample_weight : array (n,), optional
    known : bool array (n, L), optional
        Entries to count.
    names : sequence of L str, optional
    classes : array (2,), optional
        Of a 1-d target: then the keys of a mapping are these, as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.class_weight import weigh_entries
    >>> Y = np.array([[1, 0], [0, 0], [0, 1], [0, 1]], dtype=np.uint8)
    >>> weigh_entries("balanced", Y)[:, 0].round(2).tolist()
    [2.0, 0.67, 0.67, 0.67]
    >>> weigh_entries({"b": 3.0}, Y, names=["a", "b"])[:, 1].tolist()
    [1.0, 1.0, 3.0, 3.0]
    """
    if class_weight is None:
        return sample_weight
    Y, known = to_host(Y), to_host(known)
    Y = Y.toarray() if sp.issparse(Y) else Y
    times = np.ones((len(Y), 1)) if sample_weight is None else sample_weight[:, None]
    if isinstance(class_weight, str):
        pairs = _balanced(Y, times if known is None else times * known)
    else:
        pairs = _of_mapping(class_weight, Y.shape[1], names, classes)
    absent, present = pairs.T
    return times * np.where(Y == 1, present, absent)


def _balanced(Y, times):
    """Return weights (L, 2) of absent and present labels; those of constant labels are 1."""
    total = np.broadcast_to(times.sum(axis=0), Y.shape[1])
    present = (times * Y).sum(axis=0)
    counts = np.stack([total - present, present], axis=1)
    varies = (counts > 0).all(axis=1, keepdims=True)
    return np.where(varies, total[:, None] / np.where(varies, 2.0 * counts, 1.0), 1.0)


def _of_mapping(class_weight, n_labels, names, classes):
    """Return weights (L, 2) of absent and present labels."""
    if classes is not None:
        return np.array([[_weight(class_weight.get(c, 1.0), c) for c in classes.tolist()]])
    pairs = np.ones((n_labels, 2))
    places = {name: place for place, name in enumerate(() if names is None else names)}
    for key, value in class_weight.items():
        place = key if isinstance(key, Integral) else places.get(key)
        if place is None or not 0 <= place < n_labels:
            raise ValueError(
                f"class_weight names the label {key!r}, but there are {n_labels} labels"
                f"{', ' + ', '.join(map(repr, list(places)[:5])) if places else ''}; give names or "
                f"numbers from 0 to {n_labels - 1}."
            )
        if isinstance(value, Mapping):
            pairs[place] = [_weight(value.get(side, 1.0), key) for side in (0, 1)]
        else:
            pairs[place, 1] = _weight(value, key)
    return pairs


def _weight(value, key):
    if not isinstance(value, Real) or not 0.0 <= value < np.inf:
        raise ValueError(f"class_weight of {key!r} is {value!r}; give a finite number from 0 on.")
    return float(value)
