"""What every display does: open axes, and choose the labels that it has room for."""

import numpy as np

from labelfield._optional import require

__all__ = ["choose_labels", "open_axes"]


def open_axes(ax, size=(4.8, 4.8)):
    """Return the given axes, or those of a new figure of the given size in inches."""
    pyplot = require("matplotlib.pyplot", "viz")
    return pyplot.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def choose_labels(labels, names, count, most):
    """Return the numbers of the labels to show.

    Parameters
    ----------
    labels : sequence of str or int, or None
        Names or numbers; None for all, or for the `most` most frequent ones if there are more.
    names : sequence of L str
    count : array of shape (L,)
        How often each label occurs; the ones that never do are not chosen unless asked for.
    most : int
    """
    if labels is not None:
        return [_number_of(label, names) for label in labels]
    frequent = np.argsort(-np.asarray(count), kind="stable")[:most]
    return sorted(int(k) for k in frequent if count[k] > 0)


def _number_of(label, names):
    if isinstance(label, str):
        if label in names:
            return list(names).index(label)
    elif 0 <= label < len(names):
        return int(label)
    raise ValueError(
        f"labels holds {label!r}; give names of labels or numbers from 0 to {len(names) - 1}."
    )
