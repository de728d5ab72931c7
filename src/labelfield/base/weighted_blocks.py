"""Blocks of rows with other weights, for members and folds that see some of the rows."""

from contextlib import contextmanager

from sklearn.base import clone

from labelfield._gate.reading import count_rows

__all__ = [
    "WeightedBlocks",
    "fit_to_blocks",
    "learns_by_estimator",
    "learns_from_blocks",
    "takes_blocks",
]


class WeightedBlocks:
    """The blocks of a source with other weights (n,): a row without weight is none.

    Parameters
    ----------
    source : BlockSource
    weight : array (n,)
    checkpoint : path or None
    """

    def __init__(self, source, weight, checkpoint=None):
        self.source, self.weight, self.checkpoint = source, weight, checkpoint
        self.label_names = source.label_names

    def __iter__(self):
        first = 0
        for X, Y, *_ in self.source.blocks:
            rows = slice(first, first + count_rows(X))
            first = rows.stop
            yield X, Y, self.weight[rows]


def fit_to_blocks(model, source, weight):
    """Return a clone of a model fitted to the rows of a BlockSource that have weight (n,)."""
    with _own_folder(source) as folder:
        return clone(model).fit(WeightedBlocks(source, weight, folder))


@contextmanager
def _own_folder(source):
    """Give a folder for the checkpoints of one fit, None where none are kept."""
    path = source.checkpoint_of(source.count_solve())
    folder = None if path is None else path.with_suffix("")
    yield folder
    if folder is not None:
        folder.rmdir()  # the fit has deleted its files


def learns_from_blocks(model):
    """Return whether `fit` of a model takes blocks, itself or by its estimator."""
    if not getattr(model, "_takes_blocks", False):
        return False
    return not model._inner_estimators() or learns_by_estimator(model)


def learns_by_estimator(model):
    """Return whether a model leaves blocks to its estimator, and that one learns from them."""
    learn = [getattr(inner, "_learns_from_blocks", False) for inner in model._inner_estimators()]
    return model._estimator_takes_blocks and bool(learn) and all(learn)


def takes_blocks(model):
    """Return whether blocks can be handed to a model, which may hand them on to its members."""
    if learns_from_blocks(model):
        return model._blocks_need() is None
    return getattr(model, "_hands_blocks_on", False) and model._blocks_need() is None
