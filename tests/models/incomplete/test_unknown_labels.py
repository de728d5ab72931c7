"""Models that learn from NaN in Y, against slow twins that follow the definition."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from labelfield import (
    ClassifierChain,
    ClassifierChainEnsemble,
    DependentRelevance,
    StackedRelevance,
)
from labelfield.datasets import hide_labels, make_multilabel

DATA = make_multilabel(n_samples=200, n_labels=4, random_state=0)
X, Y = DATA.X, DATA.Y
HOLED = hide_labels(Y, 0.3, how="entries", random_state=1)
KNOWN = ~np.isnan(HOLED)
LOGISTIC = LogisticRegression(tol=1e-8, max_iter=5000)


def expected():
    """Return known labels, and probabilities of the others by one regression per label."""
    values = HOLED.copy()
    for j in range(4):
        rows = KNOWN[:, j]
        p = LOGISTIC.fit(X[rows], Y[rows, j]).predict_proba(X)[:, 1]
        values[~rows, j] = p[~rows]
    return values


@pytest.mark.parametrize("estimator", [None, LOGISTIC])
def test_chain_learns_from_known_labels_and_expected_features(estimator):
    order = [2, 0, 3, 1]
    model = ClassifierChain(estimator, order=order, tol=1e-9).fit(X, HOLED)
    values = expected()
    for place, j in enumerate(order):
        rows, before = KNOWN[:, j], order[:place]
        twin = LOGISTIC.fit(np.hstack([X, values[:, before]])[rows], Y[rows, j])
        log_odds = twin.decision_function(np.hstack([X, Y[:, before]]))
        np.testing.assert_allclose(model.problems_.log_odds(X, Y)[:, j], log_odds, atol=1e-3)


def test_dependent_relevance_learns_from_known_labels_and_expected_features():
    model = DependentRelevance(tol=1e-9).fit(X, HOLED)
    rows, others = KNOWN[:, 1], [0, 2, 3]
    twin = LOGISTIC.fit(np.hstack([X, expected()[:, others]])[rows], Y[rows, 1])
    log_odds = twin.decision_function(np.hstack([X, Y[:, others]]))
    np.testing.assert_allclose(model.second_level_.log_odds(X, Y)[:, 1], log_odds, atol=1e-3)


def test_levels_leave_unknown_labels_out():
    model = StackedRelevance(tol=1e-9).fit(X, HOLED)
    rows = KNOWN[:, 2]
    twin = LOGISTIC.fit(X[rows], Y[rows, 2])
    first = model.first_level_.log_odds(X)[:, 2]
    np.testing.assert_allclose(first, twin.decision_function(X), atol=1e-3)


def test_votes_on_sets_need_complete_rows():
    ensemble = ClassifierChainEnsemble(n_chains=2, voting="subset", random_state=0)
    complete = KNOWN.all(axis=1)
    assert 0 < complete.sum() < len(Y)
    np.testing.assert_array_equal(ensemble.fit(X, HOLED).sets_, np.unique(Y[complete], axis=0))
    with pytest.raises(ValueError, match="voting='label'"):
        ensemble.fit(X[~complete], HOLED[~complete])


def test_only_rows_known_to_be_empty_allow_the_empty_set():
    labels = np.where(Y.any(axis=1)[:, None], Y, 1).astype(float)
    labels[0] = [0, 0, 0, np.nan]
    assert not ClassifierChain().fit(X, labels).empty_seen_
    labels[0] = 0
    assert ClassifierChain().fit(X, labels).empty_seen_
