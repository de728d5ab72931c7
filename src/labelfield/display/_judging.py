"""What displays ask of a fitted model: its confidence, and whether its sets are right."""

import numpy as np

from labelfield._gate.indicator import read_dense_indicator
from labelfield._gate.tags import holds_tags, tags_as_sets
from labelfield._names import read_names
from labelfield.evaluation.answers import OWN, answer

__all__ = ["innermost", "judge", "names_of", "read_truth"]


def innermost(estimator):
    """Return the classifier inside searches and pipelines."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator


def judge(estimator, X, y):
    """Return the confidence in the predicted set of each row, and whether the set is right.

    Parameters
    ----------
    estimator : fitted classifier, or a pipeline or search around one
    X : n rows as it takes them
    y : array, sparse matrix or data frame of shape (n, L), or n lists of tags; NaN is unknown

    Returns
    -------
    confidence : array of shape (n,)
    correct : array of shape (n,)
        1, 0, or NaN where a label of the row is unknown.
    """
    answers = answer(estimator, X, confidence=True)
    if OWN not in answers.confidence:
        name = type(innermost(estimator)).__name__
        raise ValueError(
            f"{name} does not say how sure it is of a set; "
            f"fit CalibratedSetClassifier({name}(...)) and show that."
        )
    sets = answers.sets[OWN].astype(bool)
    truth, unknown = read_truth(estimator, y)
    if truth.shape != sets.shape:
        raise ValueError(f"y has shape {truth.shape}, but the predicted sets {sets.shape}.")
    right = (truth == sets).all(axis=1)
    return answers.confidence[OWN], np.where(unknown.any(axis=1), np.nan, right)


def read_truth(estimator, y):
    """Return the ones of y and its unknown entries, both bool (n, L); y may hold tags."""
    if holds_tags(y):
        y = tags_as_sets(y, innermost(estimator).label_names_, "y")
    return read_dense_indicator(y, "y")


def names_of(estimator, L):
    """Return the names of the L labels, as far as the model knows them."""
    return read_names(getattr(innermost(estimator), "label_names_", None), L)
