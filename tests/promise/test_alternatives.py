"""Lists of label sets against enumeration, and their coverage by simulation."""

import numpy as np
import pytest

from labelfield.joints import IndependentJoint, MixtureJoint
from labelfield.promise import Alternatives, least_log_prob
from labelfield.promise.alternatives import list_alternatives
from laws import enumerate_law
from strategies import KINDS


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("least", [0.02, 0.2, 0.9])
def test_lists_equal_enumeration(kind, least):
    joint = KINDS[kind](np.random.default_rng(5), 4, 4, "usual")
    sets, law = enumerate_law(joint)
    for max_sets in (3, 16):
        found, log_prob, flagged = list_alternatives(joint, np.log(least), max_sets)
        for i, p in enumerate(law):
            wanted = {bytes(s) for s in sets[p >= least]} or {bytes(sets[p.argmax()])}
            assert flagged[i] == (len(wanted) > max_sets)
            listed = {bytes(s) for s in found[i]}
            assert len(listed) == len(found[i]) == min(len(wanted), max_sets)
            assert listed <= wanted
            assert (np.diff(log_prob[i]) <= 1e-12).all()


def test_the_empty_set_is_listed_where_it_is_possible():
    joint = IndependentJoint.from_probabilities([[0.1, 0.3]])
    with_empty = list_alternatives(joint, np.log(0.2), 5)[0][0]
    without = list_alternatives(joint, np.log(0.2), 5, allow_empty=False)[0][0]
    assert with_empty.tolist() == [[0, 0], [0, 1]]
    assert without.tolist() == [[0, 1]]


def test_rows_that_are_not_proven_exclude_nothing():
    rng = np.random.default_rng(0)
    hard = MixtureJoint(
        np.log(np.full((1, 6), 1 / 6)), rng.normal(0, 0.3, (1, 6, 40)), max_visits=20
    )
    assert list_alternatives(hard, np.log(1e-12), 5)[2].all()


def test_least_probability_is_the_conformal_quantile():
    p = np.arange(1, 100) / 100
    for coverage in (0.5, 0.9, 0.95):
        least = np.exp(least_log_prob(np.log(p), coverage))
        rank = int(np.ceil(100 * coverage - 1e-9))
        assert least == pytest.approx(np.sort(p)[::-1][rank - 1])
    assert least_log_prob(np.log(p[:5]), 0.9) == -np.inf
    assert least_log_prob([], 0.5) == -np.inf
    with pytest.raises(ValueError, match="coverage must lie"):
        least_log_prob(np.log(p), 1.0)
    with pytest.raises(ValueError, match="log_prob must have shape"):
        least_log_prob([np.nan], 0.5)


def coverage_of(n_rows, repeats, coverage, sharpen):
    """Return how often the list holds the truth, for a joint that is wrong by a factor."""
    rng = np.random.default_rng(0)
    covered = flagged = 0
    for _ in range(repeats):
        logits = rng.normal(-0.5, 2.0, (n_rows + 1, 5))
        truth = IndependentJoint(logits).sample(1, rng)[:, 0]
        stated = IndependentJoint(sharpen * logits)
        least = least_log_prob(stated.take(slice(n_rows)).log_prob(truth[:n_rows]), coverage)
        sets, log_prob, flag = list_alternatives(stated.take([n_rows]), least, 6)
        answer = Alternatives(sets, np.exp(log_prob), flag, coverage, np.exp(least), True)
        covered += answer.covers(truth[n_rows:])[0]
        flagged += flag[0]
    return covered / repeats, flagged / repeats


@pytest.mark.parametrize("sharpen", [1.0, 2.5])
def test_coverage_holds_whatever_the_joint_is_worth(sharpen):
    covered, flagged = coverage_of(40, 300, 0.8, sharpen)
    assert covered >= 0.8 - 3 * np.sqrt(0.8 * 0.2 / 300)
    assert flagged < 0.6


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [5, 50, 400])
def test_coverage_in_2000_draws(n_rows):
    for sharpen in (0.5, 1.0, 2.5):
        covered, _ = coverage_of(n_rows, 2000, 0.9, sharpen)
        assert covered >= 0.9 - 3 * np.sqrt(0.9 * 0.1 / 2000)


def test_summary_counts_flagged_rows_apart():
    sets = [np.array([[1, 0]]), np.array([[1, 0], [1, 1]]), np.array([[0, 1]])]
    answer = Alternatives(sets, [], np.array([False, False, True]), 0.9, 0.1, True)
    assert answer.sizes.tolist() == [1.0, 2.0, np.inf]
    truth = np.array([[1, 0], [0, 0], [0, 0]])
    assert answer.summary(truth) == pytest.approx(
        {"size": 1.5, "flagged": 1 / 3, "coverage": 2 / 3}
    )
    assert len(answer) == 3
