"""Fitted models moved between main memory and devices."""

from copy import copy

from sklearn.utils.validation import check_is_fitted

from labelfield._namespaces import HOST, is_tensor, place_of, to_host

__all__ = ["to_device"]

ARRAYS = ("coef", "coupling", "intercept", "coef_", "intercept_")
PARTS = ("problems_", "classifier_")


def to_device(model, device=None, *, like=None):
    """Return a copy of a fitted model whose weights live elsewhere.

    A model answers for rows that live where it does. Saved files hold arrays of main memory
    whatever the model was fitted on.

    Parameters
    ----------
    model : fitted classifier
    device : str or device of torch, optional
        Such as "cuda" or "cuda:1", for tensors of torch. By default arrays of numpy.
    like : tensor, optional
        Go where this tensor is, of torch or of another library.

    Returns
    -------
    model : fitted classifier
        A copy; the given model stays as it is.

    Examples
    --------
    >>> from labelfield import BinaryRelevance, to_device
    >>> model = BinaryRelevance(alpha=0.1).fit([[0.0], [1.0]], [[0, 1], [1, 1]])
    >>> type(to_device(model).coef_).__name__
    'ndarray'
    """
    check_is_fitted(model)
    place = HOST if device is None and like is None else place_of(_tensor(device, like))
    if place != HOST and not model._computes_on_tensors():
        raise TypeError(
            f"This {type(model).__name__} computes on arrays of numpy only and cannot be moved to "
            f"{place}."
        )
    moved = _moved(model, place)
    vars(moved).pop("_place", None)
    if place != HOST:
        moved._place = place
    return moved


def _tensor(device, like):
    if like is not None:
        if not is_tensor(like):
            raise ValueError(f"like must be a tensor; got {type(like).__name__}.")
        return like
    try:
        import torch
    except ImportError as error:
        raise ImportError(
            "device names a device of torch, which is not installed: pip install labelfield[gpu]."
        ) from error
    try:
        return torch.empty(0, device=device)
    except (AssertionError, RuntimeError) as error:  # no GPU, or an unknown name
        raise ValueError(
            f"device={device!r} cannot be used: {str(error).splitlines()[0]} torch.cuda."
            f"is_available() is {torch.cuda.is_available()}."
        ) from error


def _moved(holder, place):
    """Return a copy of a model or a part of it with its arrays in a place."""
    holder = copy(holder)
    for name in ARRAYS:
        if getattr(vars(holder).get(name), "dtype", None) is not None:
            values = vars(holder)[name]
            setattr(holder, name, to_host(values) if place == HOST else place.asarray(values))
    for name in PARTS:
        if vars(holder).get(name) is not None:
            setattr(holder, name, _moved(vars(holder)[name], place))
    return holder
