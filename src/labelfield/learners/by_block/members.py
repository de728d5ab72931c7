"""What is grown on one block of rows: a clone with its share of the trees and its own seeds."""

from copy import deepcopy

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline

from labelfield._gate.reading import take_rows
from labelfield._gate.validation import as_generator
from labelfield.learners.clones import fit_clone
from labelfield.learners.conditional import append_columns, own_weights

__all__ = ["deal_members", "fit_label_members", "fit_member", "share_trees"]

AVERAGES = (BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier)


def deal_members(estimator, totals):
    """Return the unfitted member of every block, for blocks of these weights (B,).

    Forests share their trees out; anything else is cloned whole. The first block keeps the seeds
    that were given, the others get numbers drawn from them: nothing hangs on who fits a block.
    """
    changes = [{} for _ in totals]
    name = _count_of_trees(estimator)
    if name is not None:
        for change, count in zip(changes, share_trees(estimator.get_params()[name], totals)):
            change[name] = count
    for name, seeds in _seeds(estimator, len(totals)).items():
        for change, seed in zip(changes[1:], seeds):
            change[name] = seed
    return [clone(estimator).set_params(**change) for change in changes]


def share_trees(n_trees, totals):
    """Return how many trees grow on every block: in proportion to the weights, at least one.

    Examples
    --------
    >>> from labelfield.learners.by_block.members import share_trees
    >>> share_trees(10, [3.0, 3.0, 1.0]), share_trees(2, [1.0, 1.0, 1.0])
    ([4, 4, 2], [1, 1, 1])
    """
    quota = n_trees * np.asarray(totals) / np.sum(totals)
    counts = np.floor(quota).astype(int)
    order = np.argsort(counts - quota, kind="stable")  # the largest remainders first
    counts[order[: n_trees - counts.sum()]] += 1
    return np.maximum(counts, 1).tolist()


def fit_member(X, member, y, weight=None):
    """Return a member fitted to a block, None where no row has weight.

    A block with one class needs no trees: that class is certain there.

    X (b, d); y (b,); weight (b,) or None.
    """
    if weight is not None and not weight.all():
        kept = np.flatnonzero(weight)
        if not len(kept):
            return None
        X, y, weight = take_rows(X, kept), y[kept], weight[kept]
    if (y == y[0]).all():
        return DummyClassifier().fit(X, y)
    return fit_clone(member, X, y, weight)


def fit_label_members(X, members, Y, weight, parents):
    """Return the fitted members of labels on one block, by the number of the label.

    Parameters
    ----------
    X : array or CSR matrix (b, d)
    members : dict of int to unfitted member
    Y : CSR matrix (b, L)
    weight : array (b,) or (b, L), or None
    parents : bool array (L, L)
        Which labels are features of which.
    """
    Y = Y.toarray()
    return {
        j: fit_member(
            append_columns(X, Y[:, parents[:, j]]),
            member,
            Y[:, j],
            None if weight is None else own_weights(weight, j),
        )
        for j, member in members.items()
    }


def _count_of_trees(estimator):
    """Return the name of the parameter that counts the trees of a forest, None for no forest."""
    path = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        path += f"{name}__"
    return f"{path}n_estimators" if isinstance(estimator, AVERAGES) else None


def _seeds(estimator, n_blocks):
    """Return numbers for the blocks after the first, for every `random_state` that was given."""
    return {
        name: as_generator(deepcopy(value)).integers(2**31 - 1, size=n_blocks - 1).tolist()
        for name, value in estimator.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and value is not None
    }
