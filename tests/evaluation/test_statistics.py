"""Tests between methods against textbook values and hand calculations."""

import numpy as np
import pytest
from scipy import stats

from labelfield.evaluation.statistics import (
    average_ranks,
    critical_difference,
    friedman_p,
    indistinct_groups,
    paired_t_p,
    wilcoxon_p,
)

# Demsar, JMLR 7 (2006), table 5a: q of the Nemenyi test at 5 %.
NEMENYI_Q = {
    2: 1.960,
    3: 2.343,
    4: 2.569,
    5: 2.728,
    6: 2.850,
    7: 2.949,
    8: 3.031,
    9: 3.102,
    10: 3.164,
}


@pytest.mark.parametrize(("k", "q"), NEMENYI_Q.items())
def test_critical_difference_equals_the_printed_quantiles(k, q):
    blocks = 7
    assert critical_difference(k, blocks) == pytest.approx(
        q * np.sqrt(k * (k + 1) / (6 * blocks)), abs=1e-3
    )


def test_critical_difference_refuses_a_single_method():
    with pytest.raises(ValueError, match="at least 2 methods"):
        critical_difference(1, 5)


def test_average_ranks_by_hand():
    losses = [[0.1, 0.2, 0.2], [0.3, 0.1, np.nan]]
    ranks = average_ranks(losses, greater_is_better=False)
    np.testing.assert_allclose(ranks, [(1 + 2) / 2, (2.5 + 1) / 2, (2.5 + 3) / 2])
    assert average_ranks([[1.0, 2.0]]).tolist() == [2.0, 1.0]


def test_friedman_by_hand():
    scores = np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [3.0, 2.0, 1.0], [2.0, 3.0, 1.0]])
    ranks = average_ranks(scores)
    n, k = scores.shape
    statistic = 12 * n / (k * (k + 1)) * (np.square(ranks).sum() - k * (k + 1) ** 2 / 4)
    assert friedman_p(scores) == pytest.approx(stats.chi2.sf(statistic, k - 1))
    assert np.isnan(friedman_p(scores[:, :2]))
    assert friedman_p(np.ones((4, 3))) == 1.0


def test_paired_t_equals_scipy_and_survives_constant_differences():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 6))
    assert paired_t_p(first, second) == pytest.approx(stats.ttest_rel(first, second).pvalue)
    assert paired_t_p([1.0, 2.0], [1.0, 2.0]) == 1.0
    assert paired_t_p([1.0, 2.0], [0.5, 1.5]) == 0.0
    assert np.isnan(paired_t_p([1.0], [2.0]))


def test_wilcoxon_of_five_equal_signs_is_one_in_sixteen():
    assert wilcoxon_p([1, 2, 3, 4, 5], [0.9, 1.8, 2.7, 3.6, 4.5]) == pytest.approx(2 / 2**5)
    assert wilcoxon_p([1.0, 2.0], [1.0, 2.0]) == 1.0


def test_indistinct_groups_are_the_longest_runs():
    assert indistinct_groups([1.0, 2.0, 3.0, 4.0], 1.5) == [[0, 1], [1, 2], [2, 3]]
    assert indistinct_groups([1.0, 2.0, 3.0, 9.0], 2.0) == [[0, 1, 2]]
    assert indistinct_groups([5.0, 1.0], 1.0) == []
