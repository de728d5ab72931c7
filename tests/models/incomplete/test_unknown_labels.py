"""Models that learn from NaN in Y, against slow twins that follow the definition."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from labelfield import (
    BinaryRelevance,
    BoostedTrees,
    CalibratedSetClassifier,
    ClassifierChain,
    ClassifierChainEnsemble,
    ConditionalBernoulliMixture,
    DependentRelevance,
    PairwiseCRF,
    StackedRelevance,
)
from labelfield.datasets import hide_labels, make_multilabel
from labelfield.kernels.sets.bits import all_sets
from labelfield.models.field.likelihoods import KnownLikelihood, SupportLikelihood

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
    model = ClassifierChain(estimator, order=order, alpha=1.0, tol=1e-9).fit(X, HOLED)
    values = expected()
    for place, j in enumerate(order):
        rows, before = KNOWN[:, j], order[:place]
        twin = LOGISTIC.fit(np.hstack([X, values[:, before]])[rows], Y[rows, j])
        log_odds = twin.decision_function(np.hstack([X, Y[:, before]]))
        np.testing.assert_allclose(model.problems_.log_odds(X, Y)[:, j], log_odds, atol=1e-3)


def test_dependent_relevance_learns_from_known_labels_and_expected_features():
    model = DependentRelevance(alpha=1.0, tol=1e-9).fit(X, HOLED)
    rows, others = KNOWN[:, 1], [0, 2, 3]
    twin = LOGISTIC.fit(np.hstack([X, expected()[:, others]])[rows], Y[rows, 1])
    log_odds = twin.decision_function(np.hstack([X, Y[:, others]]))
    np.testing.assert_allclose(model.second_level_.log_odds(X, Y)[:, 1], log_odds, atol=1e-3)


def test_levels_leave_unknown_labels_out():
    model = StackedRelevance(alpha=1.0, tol=1e-9).fit(X, HOLED)
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


MIXTURES = [
    {"structure": "sparse"},
    {"structure": "dense"},
    {"structure": "shared"},
    {"init": "sets"},
    {"components": BoostedTrees(n_trees=3)},
    {"estimator": LogisticRegression()},
]


@pytest.mark.parametrize("options", MIXTURES, ids=str)
def test_mixture_maximises_the_likelihood_of_known_labels(options):
    model = ConditionalBernoulliMixture(
        n_components=3, early_stopping=False, max_iter=6, random_state=0, **options
    ).fit(X, HOLED)
    objective = model.trace_.objective
    if "estimator" not in options:  # the penalties of other packages are not known
        assert (np.diff(objective) < 1e-6).all()
    law = model.predict_joint(X).restrict(all_sets(4))
    agrees = (~KNOWN[:, None] | (law.sets == Y[:, None])).all(axis=2)
    log_prob = np.log((np.exp(law.log_weights) * agrees).sum(axis=1))
    penalty = model.gate_.penalty() + model.components_.penalty()
    np.testing.assert_allclose(objective[-1], (penalty - log_prob.sum()) / len(Y), rtol=1e-9)


@pytest.mark.parametrize("decoder", ["subset", "threshold_f1_macro"])
def test_mixture_stops_early_on_known_labels(decoder):
    options = {"n_components": 3, "max_iter": 1, "random_state": 0, "decoder": decoder}
    model = ConditionalBernoulliMixture(**options).fit(X[:60], HOLED[:60])
    assert np.isfinite(model.validation_scores_).all()


def test_likelihood_of_known_labels_sums_over_the_sets_that_agree():
    rng = np.random.default_rng(0)
    sets, field, set_score = all_sets(4)[1:], rng.normal(size=Y.shape), rng.normal(size=15)
    rows = Y.any(axis=1)
    likelihood = KnownLikelihood(sets, Y[rows], KNOWN[rows])
    value, d_field, d_set = likelihood.evaluate(field[rows], set_score)
    p = np.exp(field[rows] @ sets.T + set_score)
    agrees = (~KNOWN[rows][:, None] | (sets == Y[rows][:, None])).all(axis=2)
    slow = -np.log((p * agrees).sum(axis=1) / p.sum(axis=1)).sum()
    np.testing.assert_allclose(value, slow, rtol=1e-12)
    step = 1e-6
    bumped = field[rows].copy()
    bumped[7, 2] += step
    slope = (likelihood.evaluate(bumped, set_score)[0] - value) / step
    np.testing.assert_allclose(d_field[7, 2], slope, atol=1e-4)
    slope = (likelihood.evaluate(field[rows], set_score + step * np.eye(15)[4])[0] - value) / step
    np.testing.assert_allclose(d_set[4], slope, atol=1e-3)


def test_likelihood_of_complete_rows_is_the_plain_one():
    sets, codes = np.unique(Y, axis=0, return_inverse=True)
    field = np.random.default_rng(1).normal(size=Y.shape)
    partial = KnownLikelihood(sets, Y, np.ones(Y.shape, dtype=bool))
    plain = SupportLikelihood(sets, codes.ravel())
    for ours, theirs in zip(
        partial.evaluate(field, np.zeros(len(sets))), plain.evaluate(field, np.zeros(len(sets)))
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_field_without_couplings_is_masked_logistic_regression():
    model = PairwiseCRF(alpha=1.0, min_count=1000, tol=1e-8).fit(X, HOLED)
    assert len(model.sets_) == 16
    np.testing.assert_allclose(
        model.predict_proba(X),
        BinaryRelevance(alpha=1.0, tol=1e-9).fit(X, HOLED).predict_proba(X),
        atol=1e-4,
    )


def test_field_lists_completed_sets_where_all_are_too_many():
    model = PairwiseCRF().fit(X[:12], HOLED[:12])
    assert len(model.sets_) <= 12
    agrees = (~KNOWN[:12, None] | (model.sets_ == Y[:12, None])).all(axis=2)
    assert agrees.any(axis=1).all()


def test_sets_are_calibrated_on_rows_known_completely():
    complete = KNOWN.all(axis=1)
    options = {"calibrator": "isotonic", "label_calibration": None, "promise": None}
    fitted = BinaryRelevance().fit(X, HOLED)
    model = CalibratedSetClassifier(fitted, cv="prefit", **options).fit(X, HOLED)
    twin = CalibratedSetClassifier(fitted, cv="prefit", **options).fit(X[complete], Y[complete])
    np.testing.assert_allclose(model.predict_confidence(X), twin.predict_confidence(X))
    cross = CalibratedSetClassifier(BinaryRelevance(), cv=3, **options).fit(X, HOLED)
    np.testing.assert_array_equal(cross.predict(X), fitted.predict(X))
    with pytest.raises(ValueError, match="known completely"):
        CalibratedSetClassifier(BinaryRelevance(), **options).fit(X[~complete], HOLED[~complete])
