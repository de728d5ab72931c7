"""Noise and holes in labels, with a seed; the input is never changed."""

import numpy as np

from labelfield._gate.validation import as_generator

__all__ = ["flip_labels", "hide_labels"]


def flip_labels(Y, rate, *, how="row", random_state=None):
    """Flip labels at random, as careless annotators do.

    Parameters
    ----------
    Y : array of shape (n, L)
        Labels 0 and 1.
    rate : float in [0, 1], or array of shape (n,)
        Probability of a flip; one number a row lets annotators differ.
    how : {"row", "entry"}, default "row"
        "row": with that probability one label of the row, chosen uniformly, is flipped.
        "entry": every entry is flipped with that probability, independently.
    random_state : int, Generator, RandomState or None
        Source of randomness.

    Returns
    -------
    array of shape (n, L)
        A flipped copy, of the same dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.datasets import flip_labels
    >>> flip_labels(np.zeros((2, 3), dtype=int), 1.0, random_state=0).sum(axis=1)
    array([1, 1])
    """
    Y = _labels(Y)
    rng = as_generator(random_state)
    n, L = Y.shape
    rate = np.asarray(rate, dtype=float)
    if rate.shape not in ((), (n,)) or not ((rate >= 0) & (rate <= 1)).all():
        raise ValueError(f"rate must lie in [0, 1], one number or one a row ({n}); got {rate!r}.")
    rates = np.broadcast_to(rate, (n,))[:, None]
    if how == "entry":
        chosen = rng.random((n, L)) < rates
    elif how == "row":
        chosen = np.zeros((n, L), dtype=bool)
        chosen[np.arange(n), rng.integers(max(L, 1), size=n)] = True
        chosen &= rng.random((n, 1)) < rates
    else:
        raise ValueError(f"how must be 'row' or 'entry'; got {how!r}.")
    return np.where(chosen, 1 - Y, Y).astype(Y.dtype)


def hide_labels(Y, rate, *, how="ones", random_state=None):
    """Hide a share of the labels, as incomplete annotation does.

    Parameters
    ----------
    Y : array of shape (n, L)
        Labels 0 and 1.
    rate : float in [0, 1]
        Share hidden: round(rate * count) of the ones or of the entries, drawn uniformly
        without replacement.
    how : {"ones", "entries"}, default "ones"
        "ones": hidden ones become 0, indistinguishable from absent labels.
        "entries": hidden entries become NaN, and the result is a float array.
    random_state : int, Generator, RandomState or None
        Source of randomness.

    Returns
    -------
    array of shape (n, L)

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.datasets import hide_labels
    >>> Y = np.ones((4, 5), dtype=int)
    >>> int(hide_labels(Y, 0.3, random_state=0).sum())
    14
    >>> int(np.isnan(hide_labels(Y, 0.3, how="entries", random_state=0)).sum())
    6
    """
    Y = _labels(Y)
    if not 0 <= rate <= 1:
        raise ValueError(f"rate must lie in [0, 1]; got {rate!r}.")
    if how not in ("ones", "entries"):
        raise ValueError(f"how must be 'ones' or 'entries'; got {how!r}.")
    rng = as_generator(random_state)
    hidden = Y.astype(float) if how == "entries" else Y.copy()
    candidates = np.arange(Y.size) if how == "entries" else np.flatnonzero(Y == 1)
    drawn = rng.choice(candidates, round(rate * len(candidates)), replace=False)
    hidden.flat[drawn] = np.nan if how == "entries" else 0
    return hidden


def _labels(Y):
    Y = np.asarray(Y)
    if Y.ndim != 2:
        raise ValueError(f"Y must have shape (n, L); got {Y.shape}.")
    if not (np.isin(Y, (0, 1)) | (Y != Y)).all():
        raise ValueError("Y must hold 0 and 1 (NaN where unknown).")
    return Y
