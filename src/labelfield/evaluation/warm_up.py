"""Compiling the loops of models ahead of their first use."""

import time
import warnings

import numpy as np
import scipy.sparse as sp

from labelfield import registry

__all__ = ["MAIN", "warm_up"]

MAIN = ("br", "lp", "pcc", "cbm", "corrlog", "mlknn", "rmf")
DECISIONS = ("subset", "f1", "hamming")


def warm_up(ids=MAIN):
    """Use models once on a handful of rows, so that their loops are compiled and kept on disk.

    Parameters
    ----------
    ids : sequence of str
        Short ids from the registry, of classifiers or restorers.

    Returns
    -------
    seconds : dict of str to float
        What each took; next to nothing where all was compiled before.

    Examples
    --------
    >>> from labelfield.evaluation import warm_up
    >>> list(warm_up(["mlknn"]))
    ['mlknn']
    """
    seconds = {}
    for id in ids:
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _use(registry.get(id))
        seconds[id] = time.perf_counter() - begin
    return seconds


def _use(entry):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    Y = (X[:, :4] + rng.normal(size=(60, 4)) > 0.0).astype(np.uint8)
    if entry.id in registry.RESTORERS:
        table = np.concatenate([X, Y], axis=1)
        model = entry.make(categorical=[5, 6, 7, 8], alpha=0.04).fit(table)
        model.transform(np.where(rng.random(table.shape) < 0.2, np.nan, table))
        return
    for rows in (X, sp.csr_matrix(X)):
        model = entry.make().fit(rows, Y)
        for decision in DECISIONS:
            model.predict(rows, decoder=decision)
