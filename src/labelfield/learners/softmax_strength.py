"""The strength of softmax regressions, chosen by the likelihood of rows held out."""

import numpy as np

from labelfield.learners.design import as_design
from labelfield.learners.fold_regressions import MAX_ITER, TOLERANCE, light_copy
from labelfield.learners.multinomial import MultinomialLearner
from labelfield.learners.spectrum import find_spectrum
from labelfield.learners.strength import (
    first_strength,
    follow_folds,
    strength_folds,
    usual_path,
)

__all__ = ["choose_softmax_strength"]


def choose_softmax_strength(X, T, labels, sample_weight=None):
    """Return the StrengthPath of a softmax regression.

    Held-out rows of a class that the other folds do not hold say nothing about the strength, and
    are left out of the likelihood.

    Parameters
    ----------
    X : array or CSR matrix (n, d)
    T : array (n, K), rows sum to one
    labels : array (n, L)
        What folds should balance.
    sample_weight : array (n,), optional

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.softmax_strength import choose_softmax_strength
    >>> rng = np.random.default_rng(0)
    >>> X, codes = rng.normal(size=(90, 2)), np.arange(90) % 3
    >>> X[:, 0] += codes
    >>> path = choose_softmax_strength(X, np.eye(3)[codes], np.eye(3)[codes])
    >>> path.alpha in path.strengths
    True
    """
    folds = strength_folds(labels, sample_weight)
    if not folds:
        return usual_path(X, sample_weight)
    weight = np.ones(len(T)) if sample_weight is None else sample_weight
    features = light_copy(X, weight)
    design = as_design(features)
    spectrum = find_spectrum(design, weight)

    def begin(train, test):
        kept = np.zeros(len(T))
        kept[train] = weight[train]
        unseen = T[test] @ (kept @ T == 0.0) > 0.0
        start = None

        def step(alpha):
            nonlocal start
            learner = MultinomialLearner(alpha=alpha, tol=TOLERANCE, max_iter=MAX_ITER, warn=False)
            learner.fit(design, T, sample_weight=kept, start=start, spectrum=spectrum)
            start = learner.coef_, learner.intercept_
            likelihood = np.einsum("ij,ij->i", T[test], learner.log_proba(features[test]))
            return np.where(unseen, 0.0, likelihood)

        return step

    return follow_folds(first_strength(X, weight), folds, begin, weight)
