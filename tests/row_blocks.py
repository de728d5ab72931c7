"""Data cut into blocks, and fits on them that are killed and started again."""

import numpy as np

from labelfield.datasets import RowBlocks


class KilledError(RuntimeError):
    """Stands for the end of the process."""


def cut(data, size, convert=lambda X: X):
    """Return the arrays of data in blocks of some rows."""
    ends = range(0, len(data[0]), size)
    return [tuple(convert(part[i : i + size]) for part in data) for i in ends]


def dying(blocks, last_pass, checkpoint):
    """Return blocks that can be read `last_pass` times, and the list of passes."""
    passes = []

    def read():
        passes.append(1)
        if len(passes) > last_pass:
            raise KilledError
        return iter(blocks)

    return RowBlocks(read, checkpoint=checkpoint), passes


def fit_with_kills(model, blocks, folder, shares=(0.5, 0.5)):
    """Fit a model, killed after shares of the passes it needs and started again.

    Returns the passes of an undisturbed fit and those of the last one; every killed fit must leave
    a checkpoint, and the finished one none.
    """
    whole, passes = dying(blocks, np.inf, None)
    model.fit(whole)
    needed = len(passes)
    for last_pass in (*(int(share * needed) for share in shares), np.inf):
        source, passes = dying(blocks, last_pass, folder)
        try:
            model.fit(source)
        except KilledError:
            assert list(folder.iterdir())
    assert not list(folder.iterdir())
    return needed, len(passes)
