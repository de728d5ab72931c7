"""Answers about rows of a dask array or frame, made block by block when they are asked for."""

import numpy as np

from labelfield._gate.cluster import row_parts

__all__ = ["lazy_answers", "lazy_joints"]


def lazy_answers(model, X, answer):
    """Return `answer(joint)` of the rows of X as a dask array, chunked as X is."""
    import dask.array as da
    from dask import delayed

    like = model._by_blocks(np.zeros((1, model.n_features_in_)), answer)
    parts = [delayed(model._by_blocks, pure=False)(part, answer) for part in row_parts(X, "X")]
    shape = (np.nan, *like.shape[1:])
    return da.concatenate([da.from_delayed(part, shape, meta=like[:0]) for part in parts])


def lazy_joints(model, X):
    """Return a Delayed joint for every chunk of rows of X."""
    from dask import delayed

    return [delayed(model.predict_joint, pure=False)(part) for part in row_parts(X, "X")]
