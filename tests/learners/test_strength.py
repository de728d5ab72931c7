import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit

from labelfield.learners import LogisticLearner
from labelfield.learners.strengths.path import (
    first_strength,
    follow_path,
    held_out_log_odds,
    strength_folds,
)


def draw(n=120, d=6, n_labels=3, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.linspace(0.5, 2.0, d) + 3.0
    scores = (X - 3.0) @ rng.normal(size=(d, n_labels)) + noise * rng.logistic(size=(n, n_labels))
    return X, (scores > 0.5).astype(np.uint8)


def one_fold_at_a_time(X, Y, folds, alpha, weight=None, l1_ratio=0.0, mask=None):
    """The textbook loop: a tight fit of every label on the rows of every fold."""
    log_odds = np.full(Y.shape, np.nan)
    weight = np.ones(len(Y)) if weight is None else weight
    entries = np.where(np.isnan(Y), 0.0, weight.reshape(len(Y), -1))
    rows = weight.reshape(len(Y), -1).mean(axis=1)
    share = np.mean([rows[train].sum() for train, _ in folds]) / rows.sum()
    for train, test in folds:
        learner = LogisticLearner(alpha=alpha * share, l1_ratio=l1_ratio, tol=1e-9, max_iter=9000)
        learner.fit(X[train], np.nan_to_num(Y[train]), sample_weight=entries[train], mask=mask)
        log_odds[test] = learner.decision(X[test])
    total = rows[np.unique(np.concatenate([test for _, test in folds]))].sum()
    likelihood = np.nansum(entries * (np.nan_to_num(Y) * log_odds - np.logaddexp(0, log_odds)))
    return log_odds, likelihood / total


def weights_of(kind, shape):
    rng = np.random.default_rng(3)
    return {"none": None, "rows": rng.random(shape[0]), "entries": rng.random(shape)}[kind]


@pytest.mark.parametrize("weights", ["none", "rows", "entries"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_path_equals_separate_fits(form, weights):
    X, Y = draw()
    X[np.abs(X - 3.0) < 0.5] = 0.0
    Y = np.where(np.random.default_rng(1).random(Y.shape) < 0.1, np.nan, Y)
    weight, folds = weights_of(weights, Y.shape), strength_folds(Y)
    found, path = held_out_log_odds(form(X), Y, folds, sample_weight=weight)
    expected, _ = one_fold_at_a_time(X, Y, folds, path.alpha, weight)
    np.testing.assert_allclose(found, expected, atol=0.02)
    for alpha, mean in zip(path.strengths, path.log_likelihood):
        likelihood = one_fold_at_a_time(X, Y, folds, alpha, weight)[1]
        np.testing.assert_allclose(mean, likelihood, atol=2e-3)
    assert path.alpha == path.strengths[np.argmax(path.log_likelihood)]


def test_masked_and_sparse_weights_equal_separate_fits():
    X, Y = draw(seed=5)
    mask = np.random.default_rng(0).random((6, 3)) < 0.6
    folds = strength_folds(Y)
    found, path = held_out_log_odds(X, Y, folds, mask=mask)
    expected, _ = one_fold_at_a_time(X, Y, folds, path.alpha, mask=mask)
    np.testing.assert_allclose(found, expected, atol=0.02)
    found, path = held_out_log_odds(X, Y, folds, l1_ratio=0.7)
    expected, _ = one_fold_at_a_time(X, Y, folds, path.alpha, l1_ratio=0.7)
    np.testing.assert_allclose(found, expected, atol=0.1)


def test_blocks_of_labels_change_nothing(monkeypatch):
    X, Y = draw(n_labels=5)
    folds = strength_folds(Y)
    whole, path = held_out_log_odds(X, Y, folds)
    monkeypatch.setattr("labelfield.learners.rows.memory.HISTORY_BYTES", 1)
    parts, path_of_parts = held_out_log_odds(X, Y, folds)
    np.testing.assert_allclose(parts, whole, atol=0.02)
    np.testing.assert_allclose(path_of_parts.strengths, path.strengths)


def test_strength_finds_the_truth_about_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 30))
    noise = (rng.random((200, 2)) < 0.4).astype(np.uint8)
    signal = (rng.random((200, 2)) < expit(3.0 * X[:, :2])).astype(np.uint8)
    strong = held_out_log_odds(X, noise, strength_folds(noise)).path
    weak = held_out_log_odds(X, signal, strength_folds(signal)).path
    assert strong.alpha > 10 * weak.alpha
    assert strong.strengths[0] > first_strength(X)  # it went to stronger ones than the first


def test_strengths_follow_the_scale_of_the_features_and_the_rows():
    X, Y = draw()
    folds = strength_folds(Y)
    alpha = held_out_log_odds(X, Y, folds).path.alpha
    np.testing.assert_allclose(held_out_log_odds(100 * X, Y, folds).path.alpha, 1e4 * alpha)
    np.testing.assert_allclose(held_out_log_odds(0.01 * X, Y, folds).path.alpha, 1e-4 * alpha)
    np.testing.assert_allclose(held_out_log_odds(X * 1e40, Y, folds).path.alpha, 1e80 * alpha)
    twice = held_out_log_odds(X, Y, folds, sample_weight=np.full(len(Y), 2.0)).path
    np.testing.assert_allclose(twice.alpha, 2 * alpha)


def test_rows_without_weight_count_for_nothing():
    X, Y = draw()
    weight = (np.arange(len(Y)) % 3 > 0).astype(float)
    kept = weight > 0
    found, path = held_out_log_odds(X, Y, strength_folds(Y, weight), sample_weight=weight)
    alone, path_alone = held_out_log_odds(X[kept], Y[kept], strength_folds(Y[kept]))
    np.testing.assert_allclose(path.alpha, path_alone.alpha)
    np.testing.assert_allclose(found[kept], alone, atol=0.02)
    assert np.isnan(found[~kept]).all()


def test_constant_rare_and_unknown_labels():
    X, Y = draw(n_labels=4)
    Y = Y.astype(float)
    Y[:, 0], Y[:, 1], Y[:, 2] = 0.0, 0.0, np.nan
    Y[7, 1] = 1.0
    log_odds, path = held_out_log_odds(X, Y, strength_folds(Y))
    assert np.isfinite(log_odds).all()
    assert (log_odds[:, :2] < 0).all()
    assert np.isfinite(path.log_likelihood).all()


def test_features_that_never_vary():
    _, Y = draw()
    log_odds, path = held_out_log_odds(np.ones((len(Y), 2)), Y, strength_folds(Y))
    np.testing.assert_allclose(expit(log_odds).mean(axis=0), Y.mean(axis=0), atol=0.02)
    assert np.isfinite(path.alpha)


def test_walk_goes_on_after_one_doubtful_fall_and_ends_after_two():
    means = {0: -5.0, 1: -3.0, 2: -3.01, 3: -2.0, 4: -2.01, 5: -2.02, 6: 0.0}
    spread = np.linspace(-40.0, 40.0, 50)

    def fit(alpha):
        step = round(-2 * np.log10(alpha))
        return step, means[step] + spread * (1 + step)

    path, answer = follow_path(1.0, fit)
    assert answer == 3
    assert len(path.strengths) == 6


def test_few_rows_have_no_folds():
    assert strength_folds(np.ones((9, 2))) == []
    assert strength_folds(np.ones((20, 2)), np.arange(20) < 9) == []
    assert len(strength_folds(np.ones((10, 2)))) == 5
