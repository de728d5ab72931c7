"""Known faults of public files, put right when a data set is loaded by its name."""

from dataclasses import replace

from scipy import sparse

from labelfield.datasets.dataset import Dataset, canonical

__all__ = ["mended"]

# The R package that keeps these sets joined two files whose features end in different columns: in
# the rows of the second one all labels stand too far to the left by so many columns, the first
# ones of them among the features.
SHIFTED = {"rcv1subset1": 1, "rcv1subset2": 12}
FIRST_SHIFTED_ROW = 3000


def mended(data: Dataset) -> Dataset:
    """Return a data set without the fault that its public file is known for.

    Any other data set is returned as it is, and so is a file that does not show the fault.

    Parameters
    ----------
    data : Dataset
        With its public name.

    Examples
    --------
    >>> from labelfield.datasets import load_digit_scenes
    >>> from labelfield.datasets.named.mending import mended
    >>> data = load_digit_scenes(n_train=10, split="train")
    >>> mended(data) is data
    True
    """
    shift = SHIFTED.get(data.name)
    if shift is None or not _is_shifted(data, shift):
        return data
    X, Y = sparse.lil_matrix(data.X), data.Y.copy()
    late = slice(FIRST_SHIFTED_ROW, None)
    Y[late, shift:] = data.Y[late, :-shift]
    Y[late, :shift] = X[late, -shift:].toarray()
    X[late, -shift:] = 0.0
    words = (
        f"{data.description} From row {FIRST_SHIFTED_ROW} on, labels stand {shift} column(s) too "
        "far to the left in the file; this is put right."
    )
    return replace(data, X=canonical(X.tocsr()), Y=Y, description=words.strip())


def _is_shifted(data: Dataset, shift: int) -> bool:
    """Tell whether late rows have no last label, and nothing but labels in the last features."""
    if not sparse.issparse(data.X) or len(data.Y) <= FIRST_SHIFTED_ROW:
        return False
    early, late = data.Y[:FIRST_SHIFTED_ROW, -shift:], data.Y[FIRST_SHIFTED_ROW:, -shift:]
    in_features = data.X[FIRST_SHIFTED_ROW:, -shift:].data
    return bool(early.any() and not late.any() and len(in_features) and (in_features == 1).all())
