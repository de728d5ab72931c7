"""Thresholds that keep their promise."""

import numpy as np
import pytest
from scipy.stats import binom

from labelfield import CalibratedSetClassifier, LabelPowerset
from labelfield.calibrate import acceptance_threshold
from labelfield.calibrate.routing import clopper_pearson_lower
from labelfield.datasets import make_multilabel


def test_lower_bound_is_the_smallest_rate_that_explains_the_hits():
    for hits, n in ((0, 10), (3, 10), (10, 10), (58, 60)):
        bound = clopper_pearson_lower(hits, n, 0.95)
        assert binom.sf(hits - 1, n, bound) == pytest.approx(0.05 if hits else 1.0)


def test_perfect_sets_need_enough_rows():
    c = np.linspace(0.0, 1.0, 58)
    assert acceptance_threshold(c, np.ones(58)) == (np.inf, 0.0)
    threshold, bound = acceptance_threshold(np.linspace(0, 1, 59), np.ones(59))
    assert threshold == 0.0
    assert bound >= 0.95


def test_ties_are_accepted_together():
    c = np.repeat([0.9, 0.5, 0.1], 200)
    v = np.repeat([1.0, 0.0, 0.0], 200)
    threshold, bound = acceptance_threshold(c, v, accuracy=0.9)
    assert threshold == 0.9
    assert bound == clopper_pearson_lower(200, 200, 1 - 0.05 / 4)
    assert acceptance_threshold(np.full(200, 0.9), np.arange(200) % 2)[0] == np.inf


def test_one_early_miss_does_not_end_the_search():
    c = np.linspace(1.0, 0.0, 2000)
    v = np.ones(2000)
    v[3] = 0.0
    assert acceptance_threshold(c, v)[0] == 0.0


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="accuracy must lie strictly"):
        acceptance_threshold([0.5], [1], accuracy=1.0)
    with pytest.raises(ValueError, match="confidence_level must lie strictly"):
        acceptance_threshold([0.5], [1], confidence_level=0)
    with pytest.raises(ValueError, match="correct 0 or 1"):
        acceptance_threshold([0.5], [0.5])


def broken_promises(truth_of, n_rows, accuracy, repeats=500):
    """Return how often the accuracy above the threshold is too low, and anything accepted."""
    rng = np.random.default_rng(0)
    grid = np.linspace(0.0, 1.0, 20001)
    above = np.cumsum(truth_of(grid)[::-1])[::-1] / np.arange(len(grid), 0, -1)
    broken = accepted = 0
    for _ in range(repeats):
        c = rng.random(n_rows)
        v = rng.random(n_rows) < truth_of(c)
        threshold, _ = acceptance_threshold(c, v, accuracy, 0.9)
        if np.isfinite(threshold):
            accepted += 1
            broken += above[int(threshold * 20000)] < accuracy
    return broken / repeats, accepted / repeats


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [100, 400, 3000])
def test_promise_is_kept(n_rows):
    curves = {
        "calibrated": lambda c: c,
        "just not enough": lambda c: np.full_like(c, 0.799),
        "sharp fall": lambda c: np.where(c > 0.6, 0.85, 0.3),
        "hopeless": lambda c: 0.5 * c,
    }
    for name, curve in curves.items():
        broken, _ = broken_promises(curve, n_rows, 0.8)
        assert broken <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 500), name


@pytest.mark.slow
def test_search_accepts_much_of_what_it_could():
    _, accepted = broken_promises(lambda c: np.where(c > 0.5, 0.97, 0.3), 400, 0.9, repeats=300)
    assert accepted > 0.9


@pytest.mark.slow
def test_promise_of_a_refitted_model_is_kept():
    data = make_multilabel(n_samples=12000, n_labels=3, random_state=0)
    X_new, Y_new = data.X[6000:], data.Y[6000:]
    rng = np.random.default_rng(0)
    broken, shares = 0, []
    for _ in range(40):
        rows = rng.choice(6000, 400, replace=False)
        model = CalibratedSetClassifier(LabelPowerset(), cv=3, calibrator="isotonic")
        model.fit(data.X[rows], data.Y[rows])
        accept = model.route(X_new, accuracy=0.45, confidence_level=0.9).accept
        right = (model.predict(X_new) == Y_new).all(axis=1)
        broken += accept.any() and right[accept].mean() < 0.45
        shares.append(accept.mean())
    assert broken / 40 <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 40)
    assert np.mean(shares) > 0.2
