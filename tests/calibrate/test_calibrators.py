"""Set calibrators: contract, special cases, losses, the split of the square error."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from labelfield.calibrate import (
    AutoSetCalibrator,
    BoostedSetCalibrator,
    IdentitySetCalibrator,
    IsotonicSetCalibrator,
    NoiseRates,
    SigmoidSetCalibrator,
    TreeSetCalibrator,
)
from labelfield.calibrate.calibrators.losses import kl_derivatives, kl_loss
from labelfield.metrics import alignment_error, brier_score, sharpness, uncertainty

CALIBRATORS = {
    "auto": AutoSetCalibrator(cv=3),
    "identity": IdentitySetCalibrator(),
    "isotonic": IsotonicSetCalibrator(),
    "cardinality": IsotonicSetCalibrator(by="cardinality"),
    "sigmoid": SigmoidSetCalibrator(),
    "tree": TreeSetCalibrator(),
    "mse": BoostedSetCalibrator(max_iter=40),
    "kl": BoostedSetCalibrator(loss="kl", max_iter=40),
}
every = pytest.mark.parametrize("calibrator", CALIBRATORS.values(), ids=CALIBRATORS.keys())
learning = pytest.mark.parametrize(
    "calibrator",
    [c for name, c in CALIBRATORS.items() if name != "identity"],
    ids=[name for name in CALIBRATORS if name != "identity"],
)


def described_sets(n, seed=0):
    """Sets whose chance of being right is 0.1 + 0.6 score for one label and half of it for two."""
    rng = np.random.default_rng(seed)
    score, size = rng.random(n), rng.integers(1, 3, n)
    truth = (0.1 + 0.6 * score) / size
    U = np.column_stack([score, size, rng.random(n) / 10, size == 1, size == 2])
    return U, (rng.random(n) < truth).astype(float), truth


@every
def test_confidence_is_a_probability_and_repeats(calibrator):
    U, v, _ = described_sets(400)
    first, second = (calibrator.fit(U, v).predict(U) for _ in range(2))
    assert first.min() >= 0.0
    assert first.max() <= 1.0
    np.testing.assert_array_equal(first, second)


@every
@pytest.mark.parametrize("n_rows", [1, 2, 3])
@pytest.mark.parametrize("hit", [0.0, 1.0])
def test_few_rows_of_one_kind_give_a_probability(calibrator, n_rows, hit):
    U, _, _ = described_sets(n_rows)
    confidence = calibrator.fit(U, np.full(n_rows, hit)).predict(described_sets(20)[0])
    assert ((confidence >= 0.0) & (confidence <= 1.0)).all()


@every
def test_a_row_without_weight_is_no_row(calibrator):
    U, v, _ = described_sets(400)
    kept = np.arange(400) % 3 > 0
    weighted = calibrator.fit(U, v, sample_weight=kept).predict(U)
    alone = calibrator.fit(U[kept], v[kept], sample_weight=np.ones(kept.sum())).predict(U)
    np.testing.assert_allclose(weighted, alone, atol=1e-9)


@every
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"U": np.log([[0.5], [0.2]])}, "U must hold the probability of each set"),
        ({"U": [[0.5, 1e31], [0.2, 1.0]]}, r"U holds 1e\+31; scale its extra columns"),
        ({"U": [["a"], ["b"]]}, "U holds text"),
        ({"U": np.ma.masked_array([[0.5], [0.2]], mask=[[1], [0]])}, "U contains NaN"),
        ({"v": [[0], [1]]}, r"v must have shape \(2,\)"),
        ({"v": [0, np.nan]}, r"v must lie in \[0, 1\] without NaN"),
        ({"v": np.ma.masked_array([0, 1], mask=[1, 0])}, "v must lie in"),
        ({"sample_weight": [1, np.nan]}, "sample_weight contains NaN"),
        ({"sample_weight": [1, -1]}, "Negative values in data passed to `sample_weight`"),
        ({"sample_weight": [0, 0]}, "Sample weights must contain"),
        ({"sample_weight": [1, 1, 1]}, "sample_weight.shape"),
        ({"groups": [1]}, r"groups must have shape \(2,\)"),
        ({"groups": [[1], [2]]}, r"groups must have shape \(2,\)"),
        ({"noise": 0.1}, "noise must be a NoiseRates"),
    ],
)
def test_bad_rows_are_refused_by_name(calibrator, changes, words):
    rows = {"U": [[0.5, 1.0], [0.2, 1.0]], "v": [0, 1]} | changes
    with pytest.raises(ValueError, match=words):
        calibrator.fit(**rows)


def test_curves_by_cardinality_need_whole_cardinalities():
    calibrator = IsotonicSetCalibrator(by="cardinality")
    for U in ([[0.5], [0.2]], [[0.5, 0.5], [0.2, 1.0]]):
        with pytest.raises(ValueError, match="number of labels of each set in the second column"):
            calibrator.fit(U, [0, 1])


@pytest.mark.parametrize("fraction", [0.5, 0.999])
def test_boosting_keeps_rows_to_learn_from(fraction):
    U, v, _ = described_sets(60)
    confidence = BoostedSetCalibrator(validation_fraction=fraction).fit(U, v).predict(U)
    assert np.isfinite(confidence).all()


@learning
def test_confidence_comes_close_to_the_truth(calibrator):
    U, v, _ = described_sets(3000)
    new, _, truth = described_sets(3000, seed=1)
    common = calibrator in (CALIBRATORS["isotonic"], CALIBRATORS["sigmoid"])
    off = np.mean((calibrator.fit(U, v).predict(new) - truth) ** 2)
    assert off < (0.02 if common else 0.011)
    assert off < np.mean((new[:, 0] - truth) ** 2) / 3


@learning
@pytest.mark.parametrize("miss", [0.4, None], ids=["uniform", "per row"])
def test_noise_rates_undo_the_noise(calibrator, miss):
    U, v, _ = described_sets(4000)
    rng = np.random.default_rng(2)
    rates = NoiseRates(rng.choice([0.1, 0.6], 4000) if miss is None else miss, 0.05)
    noisy = np.where(rng.random(4000) < np.where(v == 1, rates.miss, 0.05), 1 - v, v)
    new, _, truth = described_sets(3000, seed=1)
    robust = calibrator.fit(U, noisy, noise=rates).predict(new)
    plain = calibrator.fit(U, noisy).predict(new)
    assert abs(robust.mean() - truth.mean()) < 0.03
    assert abs(plain.mean() - truth.mean()) > 0.06


@pytest.mark.parametrize("name", ["isotonic", "cardinality", "sigmoid"])
def test_fits_the_same_on_repeated_and_on_weighted_rows(name):
    calibrator = CALIBRATORS[name]
    U, v, _ = described_sets(200)
    weights = np.arange(200) % 3
    copies = np.repeat(np.arange(200), weights)
    weighted = calibrator.fit(U[weights > 0], v[weights > 0], weights[weights > 0]).predict(U)
    np.testing.assert_allclose(weighted, calibrator.fit(U[copies], v[copies]).predict(U), atol=1e-5)


@every
@pytest.mark.parametrize("hit", [0.0, 1.0])
def test_calibration_rows_of_one_class(calibrator, hit):
    U, _, _ = described_sets(100)
    confidence = calibrator.fit(U, np.full(100, hit)).predict(U)
    assert np.isfinite(confidence).all()
    if not isinstance(calibrator, IdentitySetCalibrator):
        shrunk = isinstance(calibrator, (AutoSetCalibrator, SigmoidSetCalibrator))
        assert np.abs(confidence - hit).mean() < (0.15 if shrunk else 0.02)


@every
def test_one_row_is_enough(calibrator):
    assert 0.0 <= calibrator.fit([[0.3, 1, 0, 1]], [1]).predict([[0.4, 1, 0, 1]])[0] <= 1.0


@every
def test_wrong_calls_are_named(calibrator):
    with pytest.raises(NotFittedError, match="not calibrated yet"):
        type(calibrator)().predict([[0.5]])
    with pytest.raises(ValueError, match=r"v must lie in \[0, 1\]"):
        calibrator.fit([[0.5], [0.2]], [0, 2])
    with pytest.raises(ValueError, match=r"v must have shape \(2,\)"):
        calibrator.fit([[0.5], [0.2]], [0])
    with pytest.raises(ValueError, match=r"3 columns.*fit saw 2"):
        calibrator.fit([[0.5, 1], [0.2, 1]], [0, 1]).predict([[0.5, 1, 1]])
    with pytest.raises(ValueError, match=r"one rate, or one for each row"):
        calibrator.fit([[0.5], [0.2]], [0, 1], noise=NoiseRates([0.1, 0.2, 0.3]))


@pytest.mark.parametrize("loss", ["mse", "kl"])
def test_boosting_rises_with_score_and_prior_only_if_asked_to(loss):
    rng = np.random.default_rng(0)
    U = np.column_stack([rng.random(2000), np.ones(2000), rng.random(2000)])
    v = (rng.random(2000) < 0.5 + 0.4 * np.sin(9 * U[:, 0])).astype(float)
    line = np.column_stack([np.linspace(0, 1, 200), np.ones(200), np.full(200, 0.5)])
    rising = BoostedSetCalibrator(loss=loss, max_iter=50).fit(U, v)
    assert (np.diff(rising.predict(line)) >= -1e-12).all()
    assert (np.diff(rising.predict(line[:, [2, 1, 0]])) >= -1e-12).all()
    free = BoostedSetCalibrator(loss=loss, max_iter=50, monotone=False).fit(U, v).predict(line)
    assert np.diff(free).min() < -0.1


def test_boosting_stops_early():
    U, v, _ = described_sets(1500)
    assert BoostedSetCalibrator().fit(U, v).n_iter_ < 200


def test_sigmoid_is_logistic_regression_drawn_to_the_raw_score():
    rng = np.random.default_rng(0)
    z = rng.normal(size=4000)
    v = (rng.random(4000) < 1 / (1 + np.exp(1.0 - 0.5 * z))).astype(float)
    score = 1 / (1 + np.exp(-z))
    free = SigmoidSetCalibrator(alpha=0.0).fit(score[:, None], v)
    twin = LogisticRegression(C=np.inf, tol=1e-8).fit(z[:, None], v)
    np.testing.assert_allclose(free.slope_, twin.coef_[0, 0], atol=1e-3)
    np.testing.assert_allclose(free.shift_, twin.intercept_[0], atol=1e-3)
    tied = SigmoidSetCalibrator(alpha=1e9).fit(score[:, None], v)
    np.testing.assert_allclose(tied.predict(score[:, None]), score, atol=1e-4)


def test_tree_is_that_of_scikit_learn():
    U, v, _ = described_sets(1000)
    twin = DecisionTreeRegressor(max_leaf_nodes=30, min_samples_leaf=20, random_state=0).fit(U, v)
    np.testing.assert_array_equal(TreeSetCalibrator().fit(U, v).predict(U), twin.predict(U))


def test_isotonic_by_cardinality_has_a_curve_per_size():
    U, v, truth = described_sets(3000)
    together = IsotonicSetCalibrator().fit(U, v).predict(U)
    apart = IsotonicSetCalibrator(by="cardinality").fit(U, v).predict(U)
    for size in (1, 2):
        rows = U[:, 1] == size
        alone = IsotonicSetCalibrator().fit(U[rows], v[rows]).predict(U[rows])
        np.testing.assert_array_equal(apart[rows], alone)
    assert np.mean((apart - truth) ** 2) < np.mean((together - truth) ** 2) / 2
    rare = IsotonicSetCalibrator(by="cardinality", min_rows=5000).fit(U, v).predict(U)
    np.testing.assert_array_equal(rare, together)


@pytest.mark.parametrize("targets", [[0.0, 1.0, 0.4], [-0.25, 2.0, 1.3]])
def test_kl_derivatives_are_those_of_the_loss(targets):
    z, t = np.array([-1.5, 0.2, 3.0]), np.array(targets)
    gradient, curvature = kl_derivatives(z, t)
    numeric = approx_fprime(z, lambda z: kl_loss(z, t).sum(), 1e-7)
    np.testing.assert_allclose(gradient, numeric, atol=1e-6)
    slope = approx_fprime(z, lambda z: kl_derivatives(z, t)[0].sum(), 1e-7)
    np.testing.assert_allclose(curvature, slope, atol=1e-6)
    c = 1.0 / (1.0 + np.exp(-z))
    np.testing.assert_allclose(kl_loss(z, t), -t * np.log(c) - (1 - t) * np.log(1 - c))


@pytest.mark.parametrize("rates", [(0.0, 0.0), (0.3, 0.0), (0.5, 0.2)])
def test_robust_losses_have_the_mean_of_the_clean_ones(rates):
    miss, false_hit = rates
    t0, t1 = NoiseRates(miss, false_hit).targets([0, 1])
    z, c = 0.7, 1.0 / (1.0 + np.exp(-0.7))
    for chance, v in ((1.0 - miss, 1.0), (false_hit, 0.0)):  # of seeing a hit, given the truth v
        mean_kl = chance * kl_loss(z, t1) + (1 - chance) * kl_loss(z, t0)
        np.testing.assert_allclose(mean_kl, kl_loss(z, v), atol=1e-12)
        mean_gradient = chance * 2 * (c - t1) + (1 - chance) * 2 * (c - t0)
        np.testing.assert_allclose(mean_gradient, 2 * (c - v), atol=1e-12)


def test_square_error_is_uncertainty_less_sharpness_plus_alignment():
    U, v, _ = described_sets(500)
    binned = np.floor(U[:, 0] * 10) / 10 + 0.05  # one value in each bin: the split is exact
    split = uncertainty(binned, v) - sharpness(binned, v) + alignment_error(binned, v)
    assert brier_score(binned, v) == pytest.approx(split, abs=1e-12)


def test_auto_keeps_the_raw_score_on_few_rows_and_says_why():
    rng = np.random.default_rng(0)
    score = rng.random(60)
    v = (rng.random(60) < score).astype(float)
    auto = AutoSetCalibrator().fit(score[:, None], v)
    np.testing.assert_array_equal(auto.predict(score[:, None]), score)
    assert auto.reason_.startswith("identity: Brier")
    assert set(auto.comparison_) == {"identity", "sigmoid", "isotonic"}
    few = AutoSetCalibrator().fit(score[:4, None], v[:4])
    assert "too few" in few.reason_


def test_auto_takes_trees_where_they_pay():
    U, v, _ = described_sets(4000)
    U[:, 0] = 0.5  # nothing to learn from the score
    auto = AutoSetCalibrator(cv=3).fit(U, v)
    assert isinstance(auto.chosen_, BoostedSetCalibrator)
    assert auto.comparison_["boosted"] < auto.comparison_["isotonic"]
