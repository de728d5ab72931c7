"""The strength of softmax regressions, chosen by the likelihood of rows held out."""

from functools import partial

import numpy as np

from labelfield._gate.blocks import BlockSource
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.learners.multinomial import MultinomialLearner
from labelfield.learners.rows import as_rows
from labelfield.learners.spectrum import find_spectrum
from labelfield.learners.strengths.fold_regressions import MAX_ITER, TOLERANCE, light_copy
from labelfield.learners.strengths.path import (
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
    X : array or CSR matrix (n, d), or BlockSource
    T : array or sparse matrix (n, K), rows sum to one
    labels : array or CSR matrix (n, L)
        What folds should balance.
    sample_weight : array (n,), optional

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.strengths.softmax import choose_softmax_strength
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
    weight = np.ones(T.shape[0]) if sample_weight is None else sample_weight
    stream = isinstance(X, BlockSource)
    rows = as_rows(X if stream else light_copy(X, weight), T)
    targets = rows.targets
    spectrum = find_spectrum(rows.with_targets(None, weight[:, None]))

    def begin(train, test):
        kept = np.zeros(len(weight))
        kept[train] = weight[train]
        unseen = targets.sums(kept[:, None]) == 0.0
        start = None

        def step(alpha):
            nonlocal start
            learner = MultinomialLearner(alpha=alpha, tol=TOLERANCE, max_iter=MAX_ITER, warn=False)
            fold = rows.with_targets(targets, kept[:, None])
            learner.fit(fold, None, start=start, spectrum=spectrum)
            start = learner.coef_, learner.intercept_
            answer = partial(_likelihood, coef=start[0], shift=start[1], unseen=unseen)
            return np.concatenate([part for _, part in rows.each(answer)])[test]

        return step

    return follow_folds(first_strength(X, weight), folds, begin, weight)


def _likelihood(block, coef, shift, unseen):
    """Return the log-likelihood of the rows of a block, 0 where their class was never seen."""
    scores = block.design.matmul(coef) + shift
    scores -= logsumexp(scores, axis=1)[:, None]
    targets = block.targets
    terms = scores[targets.rows, targets.labels] * targets.values
    strange = np.bincount(targets.rows, unseen[targets.labels] * targets.values, len(targets))
    likelihood = np.bincount(targets.rows, terms, len(targets))
    return np.where(strange > 0.0, 0.0, likelihood)
