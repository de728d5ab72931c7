"""The conditional restricted Boltzmann machine: special cases, recovery, seeds, bad input."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit, logit

from labelfield import (
    BinaryRelevance,
    ConditionalRBM,
    ContrastiveDivergence,
    LabelRecovery,
    LabelRelatedness,
    load,
)
from labelfield.datasets import hide_labels, make_multilabel
from labelfield.metrics import roc_auc
from labelfield.models.boltzmann.recovery import Known


def tied_data(n=400, seed=0):
    """Labels 0-2 and 3-5 come together; the features know only which half, and not always."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    wanted = np.where(group[:, None] == np.repeat([0, 1], 3), 0.85, 0.05)
    Y = (rng.random((n, 6)) < wanted).astype(int)
    X = np.column_stack([group + 0.8 * rng.normal(size=n), rng.normal(size=n)])
    return (X - X.mean(axis=0)) / X.std(axis=0), Y


@pytest.fixture(scope="module")
def tied():
    return tied_data()


def small(**parameters):
    return ConditionalRBM(
        **{"n_hidden": 4, "training": learning(), "random_state": 0, "max_iter": 40, **parameters}
    )


def learning(**settings):
    return ContrastiveDivergence(**{"batch_size": 40, **settings})


def test_without_hidden_units_it_is_logistic_regression():
    data = make_multilabel(n_samples=300, n_features=5, n_labels=3, random_state=0)
    scale = np.sqrt(np.square(data.X).sum() / 300)
    plain = BinaryRelevance(alpha=1.0, tol=1e-10).fit(data.X / scale, data.Y)
    model = ConditionalRBM(
        n_hidden=0,
        alpha=1.0,
        training=ContrastiveDivergence(n_steps="exact", learning_rate=0.5, batch_size=300),
        max_iter=250,
        random_state=0,
    ).fit(data.X, data.Y)
    np.testing.assert_allclose(model.coef_ * scale, plain.coef_, atol=1e-3)
    np.testing.assert_allclose(
        model.predict_proba(data.X), plain.predict_proba(data.X / scale), atol=1e-3
    )


def test_hidden_units_learn_that_labels_come_together(tied):
    X, Y = tied
    model = small(training=learning(n_steps="exact"), max_iter=60).fit(X, Y)
    pairs = model.predict_joint(X).pair_marginals().mean(axis=0)
    np.testing.assert_allclose(pairs, Y.T @ Y / len(Y), atol=0.05)
    better = model.predict_joint(X).log_prob(Y).mean()
    assert better > BinaryRelevance().fit(X, Y).predict_joint(X).log_prob(Y).mean() + 0.3


@pytest.mark.parametrize(
    "settings",
    [
        {"persistent": False, "n_steps": 3},
        {"n_steps": "exact"},
        {"centered": False, "coupling_scale": 1.0},
    ],
)
def test_every_way_of_learning_beats_independent_labels(tied, settings):
    X, Y = tied
    model = small(training=learning(**settings)).fit(X, Y)
    independent = BinaryRelevance().fit(X, Y).predict_joint(X).log_prob(Y).mean()
    assert model.predict_joint(X).log_prob(Y).mean() > independent + 0.15


def test_same_seed_same_weights_and_another_seed_others(tied):
    X, Y = tied
    holed = hide_labels(Y, 0.3, how="entries", random_state=0)
    one, same, other = (small(max_iter=12, random_state=s).fit(X, holed) for s in (5, 5, 6))
    for name in ("coef_", "coupling_", "intercept_", "hidden_bias_", "recovered_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(same, name))
    assert not np.array_equal(one.coupling_, other.coupling_)


@pytest.mark.parametrize("recovery", ["sample", "viterbi", None])
def test_known_labels_are_never_changed(tied, recovery):
    X, Y = tied
    holed = hide_labels(Y, 0.4, how="entries", random_state=0)
    model = small(recovery=recovery, max_iter=13).fit(X, holed)
    known = ~np.isnan(holed)
    np.testing.assert_array_equal(model.recovered_[known], holed[known])
    named = hide_labels(Y, 0.4, random_state=0)
    silent = small(recovery=recovery, max_iter=13, positives_only=True).fit(X, named)
    assert (silent.recovered_[named == 1] == 1).all()


def test_hidden_entries_are_recovered_better_than_from_the_features(tied):
    X, Y = tied
    holed = hide_labels(Y, 0.3, how="entries", random_state=0)
    hidden = np.isnan(holed)
    model = small().fit(X, holed)
    features = BinaryRelevance().fit(X, holed).predict_proba(X)
    right = (model.recovered_ == Y)[hidden].mean()
    assert right > ((features > 0.5) == Y)[hidden].mean() + 0.05
    P = model.recover_proba(X, holed)
    np.testing.assert_array_equal(P[~hidden], holed[~hidden])
    np.testing.assert_array_equal(model.recovered_, P > 0.5)
    known = model.predict_joint(X).condition(holed)
    np.testing.assert_allclose(P, known.marginals(), atol=1e-12)


def test_a_belief_about_the_missing_rate_recovers_what_was_not_named(tied):
    X, Y = tied
    named = hide_labels(Y, 0.5, random_state=0)
    hidden = (Y == 1) & (named == 0)

    def recovered(**parameters):
        model = small(positives_only=True, **parameters).fit(X, named)
        found = model.recovered_ == 1
        return found[hidden].mean(), hidden[found & (named == 0)].mean() if found.any() else 0.0

    published, _ = recovered(recovery="viterbi", missing_rate=None)
    told, precision = recovered(missing_rate=0.5)
    assert told > published
    assert told == pytest.approx(precision, abs=0.02)
    assert told > 0.6


def test_ranking_of_hidden_labels_uses_the_named_ones(tied):
    X, Y = tied
    named = hide_labels(Y, 0.3, random_state=0)
    model = small(positives_only=True, missing_rate=0.3).fit(X, named)
    unnamed = np.where(named == 1, np.nan, Y)
    with_labels = roc_auc(unnamed, model.recover_proba(X, named), average="micro")
    from_features = roc_auc(unnamed, model.predict_proba(X), average="micro")
    assert with_labels > from_features + 0.02


def test_recovery_climbs_to_the_mode():
    data = make_multilabel(n_samples=200, n_labels=6, random_state=0)
    model = small().fit(data.X, data.Y)
    mode = model.predict_joint(data.X).mode()
    for start, least in (("meanfield", 0.8), ("bias", 0.7), ("paper", 0.4)):
        plain, flipped = (
            model.set_params(recovery=LabelRecovery(start=start, flips=flips)).recover(data.X)
            for flips in (False, True)
        )
        agree = (plain == mode).all(axis=1).mean()
        assert agree >= least
        assert (flipped == mode).all(axis=1).mean() >= agree
    known = np.where(data.Y[:, :1] == 1, data.Y, np.nan)
    found = model.recover(data.X, known)
    np.testing.assert_array_equal(found[~np.isnan(known)], known[~np.isnan(known)])


def test_decision_function_is_the_log_odds_beside_the_best_set(tied):
    X, Y = tied
    model = small().fit(X, Y)
    joint = model.predict_joint(X[:20])
    mode, scores = joint.mode(), model.decision_function(X[:20])
    for label in range(6):
        on, off = mode.copy(), mode.copy()
        on[:, label], off[:, label] = 1, 0
        slow = joint.log_score(on) - joint.log_score(off)
        np.testing.assert_allclose(scores[:, label], slow, atol=1e-9)
    np.testing.assert_array_equal(scores > 0, mode == 1)


def test_relatedness_and_sparsity_shift_the_answers(tied):
    X, Y = tied
    plain = small().fit(X, Y)
    sparse = small(sparsity=2.0).fit(X, Y)
    assert sparse.predict(X).sum() < plain.predict(X).sum()
    matrix = np.zeros((6, 6))
    matrix[0, 3] = matrix[3, 0] = 1.0
    related = small(relatedness=LabelRelatedness(matrix), relatedness_weight=2.0).fit(X, Y)
    pairs = [m.predict_joint(X).pair_marginals()[:, 0, 3].mean() for m in (plain, related)]
    assert pairs[1] > pairs[0] + 0.1
    as_array = small(relatedness=matrix, relatedness_weight=2.0).fit(X, Y)
    np.testing.assert_array_equal(as_array.predict_proba(X), related.predict_proba(X))


def test_many_labels_are_answered_without_a_partition_function():
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.random((80, 30)) < 0.2, dtype=float)
    Y = (rng.random((80, 25)) < expit(X @ rng.normal(size=(30, 25)) - 2)).astype(int)
    model = ConditionalRBM(n_hidden=5, max_iter=5, n_draws=10, random_state=0).fit(X, Y)
    joint = model.predict_joint(X)
    assert not joint.exact
    assert model.predict(X).shape == (80, 25)
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(X))
    P = model.recover_proba(X, np.where(rng.random(Y.shape) < 0.5, Y, np.nan))
    assert ((P >= 0) & (P <= 1)).all()


def test_rates_and_offsets_of_labels_that_are_not_named():
    Y = np.array([[1, 0], [1, 0], [0, 0], [0, 1]], dtype=float)
    silent = Known.read(Y, positives_only=True)
    np.testing.assert_allclose(silent.rates(0.25), np.array([0.5, 0.25]) / 0.75)
    assert silent.offset(0.25) == pytest.approx(np.log(0.25))
    assert silent.offset(None) == 0.0
    Y[0, 0] = np.nan
    holed = Known.read(Y, positives_only=False)
    np.testing.assert_allclose(holed.rates(None), [1 / 3, 0.25])
    assert holed.offset(None) == 0.0
    np.testing.assert_array_equal(holed.as_targets(), Y)


def test_the_belief_is_bayes_rule_for_labels_that_are_not_named():
    """P(present | not named) from the odds, a present label being left out with a known rate."""
    odds, rate = 3.0, 0.4
    present = odds / (1 + odds)
    expected = present * rate / (present * rate + 1 - present)
    silent = Known.read(np.zeros((1, 1)), positives_only=True)
    assert expit(logit(present) + silent.offset(rate)) == pytest.approx(expected)


def test_rows_and_labels_without_anything_known(tied):
    X, Y = tied
    holed = Y.astype(float)
    holed[:5] = np.nan
    model = small(max_iter=12).fit(X, holed)
    assert np.isfinite(model.predict_proba(X)).all()
    holed[:, 2] = np.nan
    with pytest.raises(ValueError, match=r"label 'y2' is NaN in every row"):
        small().fit(X, holed)
    never = Y.copy()
    never[:, 1] = 0
    silent = small(positives_only=True, missing_rate=0.3).fit(X, never)
    assert silent.predict_proba(X)[:, 1].max() < 0.3


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"recovery": "best"}, "'recovery' parameter"),
        ({"training": {"n_steps": 2}}, "'training' parameter"),
        ({"inference": "exact"}, "'inference' parameter"),
        ({"n_hidden": 2.5}, "'n_hidden' parameter"),
        ({"alpha": -1.0}, "'alpha' parameter"),
        ({"missing_rate": 1.0, "positives_only": True}, "'missing_rate' parameter"),
        ({"missing_rate": 0.3}, "only positives_only=True assumes"),
        ({"relatedness": np.eye(3)}, r"relatedness must be \(L, L\) for the 6 labels"),
        ({"relatedness": np.triu(np.ones((6, 6)))}, "symmetric"),
    ],
)
def test_wrong_parameters_are_named(tied, parameters, words):
    with pytest.raises(ValueError, match=words):
        small(**parameters).fit(*tied)


@pytest.mark.parametrize(
    ("group", "parameters"),
    [
        (ContrastiveDivergence, {"n_steps": 0}),
        (ContrastiveDivergence, {"batch_size": 2.5}),
        (LabelRecovery, {"how": "best"}),
        (LabelRecovery, {"start": "zero"}),
    ],
)
def test_wrong_settings_are_named(group, parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The '{name}' parameter of {group.__name__} must be"):
        group(**parameters)


def test_settings_travel_with_the_model(tied, tmp_path):
    X, Y = tied
    model = small(recovery=LabelRecovery("viterbi", after=1), max_iter=2).fit(X, Y)
    model.save(tmp_path / "machine.lf")
    again = load(tmp_path / "machine.lf")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.recover(X), model.recover(X))


def test_labels_of_new_rows_are_checked(tied):
    X, Y = tied
    model = small(max_iter=2).fit(X, Y)
    with pytest.raises(ValueError, match=r"y must have shape \(10, 6\)"):
        model.recover_proba(X[:10], Y[:9])
    with pytest.raises(ValueError, match="y holds 2"):
        model.recover(X[:10], Y[:10] + 1)
    too_many = np.zeros((len(X), 17), dtype=int)
    with pytest.raises(ValueError, match="n_steps='exact' sums over all sets of up to 16"):
        small(training=learning(n_steps="exact")).fit(X, too_many)


def test_groups_of_labels_keep_their_shares():
    # chains do not cross between the groups: without restarts the rare one ends above 0.9
    rng = np.random.default_rng(1)
    rare = rng.random(400) < 0.15
    Y = np.zeros((400, 12), dtype=int)
    Y[rare, :6], Y[~rare, 6:] = 1, 1
    X = rng.normal(size=(400, 2))
    model = ConditionalRBM(n_hidden=6, max_iter=60, random_state=1).fit(X, Y)
    marginals = model.predict_joint(X[:50]).marginals().mean(axis=0)
    assert (np.abs(marginals[:6] - rare.mean()) < 0.2).all()
    assert (np.abs(marginals[6:] - 1 + rare.mean()) < 0.2).all()
