"""Thresholds that keep their promise: the procedure by hand, and by simulation."""

import numpy as np
import pytest

from labelfield import Costs
from labelfield.promise import AcceptancePlan, acceptance
from labelfield.promise.evidence import binomial_p_value, clopper_pearson_lower, mean_p_value

GRID = np.linspace(0.0, 1.0, 20001)
LAWS = {
    "calibrated": lambda c: c,
    "just not enough": lambda c: np.full_like(c, 0.799),
    "sharp fall": lambda c: np.where(c > 0.6, 0.85, 0.3),
    "hopeless": lambda c: 0.5 * c,
    "best in the middle": lambda c: np.where((c > 0.4) & (c < 0.8), 0.95, 0.7),
    "worst on top": lambda c: np.where(c > 0.9, 0.5, 0.9),
    "waves": lambda c: 0.8 + 0.15 * np.sin(25 * c),
}


def plan_of(n_rows, accuracy=0.8, level=0.9):
    return AcceptancePlan.from_confidences(np.linspace(0, 1, 777), n_rows, accuracy, level)


def broken_promises(truth_of, n_rows, repeats, accuracy=0.8, level=0.9):
    """Return how often a promise (the wish, or the best instead of it) is false, and made."""
    rng = np.random.default_rng(0)
    plan = plan_of(n_rows, accuracy, level)
    above = np.cumsum(truth_of(GRID)[::-1])[::-1] / np.arange(len(GRID), 0, -1)
    broken = met = 0
    for _ in range(repeats):
        c = rng.random(n_rows)
        found = acceptance(c, rng.random(n_rows) < truth_of(c), plan)
        met += found.met
        promised = found if found.met else found.best
        if promised is not None:
            index = int(np.ceil(max(promised.threshold, 0.0) * 20000))
            broken += above[index] < promised.accuracy - 1e-3 * (promised is not found)
    return broken / repeats, met / repeats


@pytest.mark.parametrize("law", LAWS)
def test_promise_is_kept(law):
    for n_rows in (60, 400):
        broken, _ = broken_promises(LAWS[law], n_rows, 150)
        assert broken <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 150)


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [30, 100, 400, 3000])
@pytest.mark.parametrize("law", LAWS)
def test_promise_is_kept_in_2000_draws(law, n_rows):
    broken, _ = broken_promises(LAWS[law], n_rows, 2000, level=0.95)
    assert broken <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


def test_what_can_be_accepted_is():
    assert broken_promises(lambda c: np.where(c > 0.5, 0.97, 0.3), 400, 100, 0.9)[1] > 0.9


def test_tests_in_their_order_by_hand():
    plan = AcceptancePlan(np.array([0.9, 0.7, 0.5, 0.3]), np.array([0.04, 0, 0.06, 0]), 0.8, 0.9)
    c = np.repeat([0.95, 0.8, 0.6, 0.4], [20, 20, 60, 60])
    for wrong in ([0, 0, 0, 0], [0, 9, 0, 0], [1, 9, 0, 20], [3, 3, 30, 10], [0, 0, 9, 30]):
        v = np.concatenate([np.arange(n) >= w for n, w in zip([20, 20, 60, 60], wrong)])
        level, passed = 0.0, []
        for j, (t, share) in enumerate(zip(plan.thresholds, plan.shares)):
            level = share + (level if j - 1 in passed else 0.0)
            if binomial_p_value(v[c >= t].sum(), (c >= t).sum(), 0.8) <= level:
                passed.append(j)
        found = acceptance(c, v, plan)
        assert found.met == bool(passed)
        if passed:
            assert found.threshold == plan.thresholds[passed[-1]]
            assert found.n_above == (c >= found.threshold).sum()
            assert found.rate == v[c >= found.threshold].mean()
        else:
            bounds = [
                clopper_pearson_lower(v[c >= t].sum(), (c >= t).sum(), 1 - s)
                for t, s in ((0.9, 0.04), (0.5, 0.06))
            ]
            assert found.best.accuracy == pytest.approx(max(bounds))


def test_plan_is_fixed_by_other_rows():
    plan = plan_of(400)
    assert (np.diff(plan.thresholds) < 0).all()
    assert plan.thresholds[-1] == 0.0
    assert plan.shares.sum() == pytest.approx(0.1)
    starts = np.flatnonzero(plan.shares)
    assert (np.diff(starts) == 10).all()
    assert len(starts) == 4
    assert starts[-1] == len(plan.shares) - 1  # all rows
    higher = plan_of(400, accuracy=0.95)
    assert set(higher.thresholds) < set(plan.thresholds)
    assert higher.shares[-1] > plan.shares[-1]
    flat = AcceptancePlan.from_confidences(np.full(50, 0.7), 400, 0.8, 0.9)
    assert flat.thresholds.tolist() == [0.7, 0.0]
    assert flat.shares.tolist() == pytest.approx([0.1 - plan.shares[-1], plan.shares[-1]])
    few = plan_of(5)
    assert np.count_nonzero(few.shares) == 1


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("graded", [False, True])
def test_a_lower_wish_never_accepts_less(level, graded):
    rng = np.random.default_rng(0)
    n_wishes = 15 if graded else 60
    more = rng.uniform(0.7, 0.9, n_wishes)
    wishes = np.sort(np.append(np.linspace(0.02, 0.995, n_wishes), more))
    for n_rows in (1, 25, 150) if graded else (1, 7, 25, 80, 400, 3000):
        for base in (0.95, 0.8, 0.6, 0.3):
            c = rng.random(n_rows)
            v = (rng.random(n_rows) < base + (1 - base) * c).astype(float)
            if graded:
                v[::2] = np.round(0.5 * v[::2] + 0.5 * rng.random(len(v[::2])), 2)
            found = [acceptance(c, v, plan_of(n_rows, a, level)).threshold for a in wishes]
            assert found == sorted(found)


@pytest.mark.parametrize("n_above", [1, 5, 40, 400])
def test_p_values_fall_as_fast_as_starting_points_gather(n_above):
    """P at accuracy a**b is at most (P at a)**b, for hits and for bets."""
    rng = np.random.default_rng(0)
    a, b = 0.9, np.linspace(1.0, 6.0, 11)
    for n_wrong in range(min(n_above, 8)):
        hits = np.arange(n_above) >= n_wrong
        for values in (hits, np.where(hits, rng.uniform(0.9, 1.0, n_above), 0.2)):
            p = np.array([mean_p_value(values, wish) for wish in a**b])
            assert (p <= p[0] ** b * (1 + 1e-9)).all()


def test_many_rows_have_starting_points_close_together():
    """Sure enough from 200 to 400 rows only, in between what three points would look at."""
    n = 6000
    rank = np.arange(n)
    rate = np.where(rank < 60, 0.7, np.where(rank < 450, 0.9, 0.6))
    right = np.diff(np.floor(np.cumsum(rate)), prepend=0.0)
    confidence = 1.0 - (rank + 0.5) / n
    assert acceptance(confidence, right, plan_of(n, 0.8, 0.95)).met
    assert np.count_nonzero(plan_of(n).shares) > np.count_nonzero(plan_of(300).shares)


def test_a_wish_that_cannot_be_met_is_answered():
    rng = np.random.default_rng(0)
    c = rng.random(300)
    found = acceptance(c, rng.random(300) < 0.7 + 0.27 * c, plan_of(300, 0.95, 0.95))
    assert not found.met
    assert 0.6 < found.best.accuracy < 0.95
    assert "cannot be promised" in str(found)
    assert "more reviewed rows would do" in str(found)
    never = acceptance(c, rng.random(300) < 0.5, plan_of(300, 0.95, 0.95))
    assert never.more_rows == np.inf
    assert "would not do" in str(never)
    nothing = acceptance(c[:9], np.zeros(9), plan_of(9))
    assert nothing.best is None
    assert "nothing can be promised" in str(nothing)
    assert acceptance([], [], plan_of(0)).more_rows == np.inf


def test_so_many_more_rows_do():
    def law(c):
        return 0.8 + 0.19 * c

    rng = np.random.default_rng(1)
    enough = tried = 0
    while tried < 30:
        c = rng.random(150)
        found = acceptance(c, rng.random(150) < law(c), plan_of(150, 0.93, 0.95))
        if found.met or not np.isfinite(found.more_rows):
            continue
        tried += 1
        n = 150 + int(found.more_rows)
        c = rng.random(n)
        enough += acceptance(c, rng.random(n) < law(c), plan_of(n, 0.93, 0.95)).met
    assert enough >= 15


def test_approximate_promises_say_so():
    c = np.linspace(0, 1, 300)
    assert "Exact" in str(acceptance(c, c > 0.1, plan_of(300)))
    assert "no guarantee" in str(acceptance(c, c > 0.1, plan_of(300), exact=False))


def test_graded_values_and_rows_that_do_not_count():
    rng = np.random.default_rng(0)
    c = rng.random(500)
    v = np.clip(0.5 + 0.5 * c + rng.normal(0, 0.05, 500), 0, 1)
    found = acceptance(c, v, plan_of(500), measure="mean F1")
    assert found.met
    assert "mean F1 0.800" in str(found)
    assert v[c >= found.threshold].mean() > 0.8
    holed = np.where(np.arange(500) < 250, v, np.nan)
    half = acceptance(c, holed, plan_of(250))
    assert half.n_rows == 250
    assert half.threshold == acceptance(c[:250], v[:250], plan_of(250)).threshold


def test_costs_choose_what_saves_most():
    costs = Costs(review=1.0, wrong=5.0)
    rng = np.random.default_rng(0)
    c = rng.random(2000)
    right = rng.random(2000) < np.where(c > 0.5, 0.99, 0.7)
    gain = costs.review - costs.wrong * (1 - right)
    plan = plan_of(2000, costs.accuracy, 0.95)
    lowest, best = acceptance(c, right, plan), acceptance(c, right, plan, gain=gain)
    assert best.threshold > lowest.threshold
    assert gain[c >= best.threshold].sum() > gain[c >= lowest.threshold].sum()
    assert costs.of_sets([[1, 0], [1, 1]], [[1, 1], [1, 1]]).tolist() == [5.0, 0.0]
    assert Costs(1, 5, missing=2).of_sets([[1, 0]], [[1, 1]]).tolist() == [7.0]
    with pytest.raises(ValueError, match="must cost less than a wrong set"):
        Costs(review=5, wrong=5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5], [1, 0]), "of one shape"),
        (([0.5], [2]), "value must be 0 or 1"),
        (([np.nan], [1]), "confidence holds NaN"),
        (([[0.5]], [[1]]), r"shape \(n,\)"),
    ],
)
def test_wrong_rows_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        acceptance(*arguments, plan_of(1))


def test_wrong_wishes_are_named():
    with pytest.raises(ValueError, match="accuracy must lie strictly"):
        plan_of(10, accuracy=1.0)
    with pytest.raises(ValueError, match="confidence_level must lie strictly"):
        plan_of(10, level=0)
    with pytest.raises(ValueError, match="confidence is empty"):
        AcceptancePlan.from_confidences([], 10)


def test_every_set_accepted_is_said_in_words():
    confidence = np.linspace(0.1, 0.9, 400)
    thresholds, shares = np.array([0.5, -np.inf]), np.array([0.05, 0.0])
    plan = AcceptancePlan(thresholds, shares, accuracy=0.5, confidence_level=0.95)
    found = acceptance(confidence, np.ones(400), plan)
    assert found.threshold == -np.inf
    assert str(found).startswith("Accept every set. Promised: right sets 0.500")
