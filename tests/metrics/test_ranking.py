import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn import metrics as reference
from sklearn.exceptions import UndefinedMetricWarning

from labelfield import metrics

examples = settings(max_examples=25, deadline=None)

MEASURES = {
    "roc_auc": metrics.roc_auc,
    "average_precision": metrics.average_precision,
}


def rankings(truths=(0, 1)):
    """Truth and scores, with many ties."""
    shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=7)
    return shapes.flatmap(
        lambda shape: st.tuples(
            hnp.arrays(np.float64, shape, elements=st.sampled_from(truths)),
            hnp.arrays(np.float64, shape, elements=st.sampled_from([-1.0, 0.0, 0.1, 0.3, 2.0])),
        )
    )


def one_ranking(name, truth, score):
    """One value from two vectors by scikit-learn; NaN where it is not defined."""
    truth = truth.astype(int)
    if truth.sum() == 0 or (name == "roc_auc" and truth.all()):
        return np.nan
    return getattr(reference, f"{name}_score")(truth, score)


@pytest.mark.parametrize("name", MEASURES)
@examples
@given(pair=rankings())
def test_every_average_equals_scikit_learn(name, pair):
    Y_true, Y_score = pair
    rows = [one_ranking(name, t, s) for t, s in zip(Y_true, Y_score)]
    labels = [one_ranking(name, t, s) for t, s in zip(Y_true.T, Y_score.T)]
    measure = MEASURES[name]
    np.testing.assert_allclose(measure(Y_true, Y_score, average="rows"), rows)
    np.testing.assert_allclose(measure(Y_true, Y_score, average=None), labels)
    assume(not np.isnan(labels).all())
    assume(not np.isnan(rows).all())
    assert measure(Y_true, Y_score, average="macro") == pytest.approx(np.nanmean(labels))
    assert measure(Y_true, Y_score, average="samples") == pytest.approx(np.nanmean(rows))
    assert measure(Y_true, Y_score, average="micro") == pytest.approx(
        one_ranking(name, Y_true.ravel(), Y_score.ravel())
    )


@examples
@given(pair=rankings())
def test_coverage_and_ranking_loss_equal_scikit_learn(pair):
    Y_true, Y_score = pair
    assert metrics.coverage_error(Y_true, Y_score) == pytest.approx(
        reference.coverage_error(Y_true.astype(int), Y_score)
    )
    assert metrics.ranking_loss(Y_true, Y_score) == pytest.approx(
        reference.label_ranking_loss(Y_true.astype(int), Y_score)
    )


def expected_hits(truth, score, k):
    """Mean over all orders of the labels of the precision of the first k by score."""
    orders = itertools.permutations(range(len(truth)))
    picks = [sorted(order, key=lambda label: -score[label])[:k] for order in orders]
    return np.mean([truth[pick].mean() for pick in picks])


@examples
@given(
    truth=hnp.arrays(np.float64, 4, elements=st.sampled_from([0.0, 1.0])),
    score=hnp.arrays(np.float64, 4, elements=st.sampled_from([0.0, 1.0, 2.0])),
    k=st.integers(1, 4),
)
def test_precision_at_k_is_the_mean_over_the_orders_of_ties(truth, score, k):
    assert metrics.precision_at_k([truth], [score], k=k) == pytest.approx(
        expected_hits(truth, score, k)
    )


@pytest.mark.parametrize("name", MEASURES)
@examples
@given(pair=rankings(truths=(0, 1, np.nan)))
def test_unknown_entries_count_as_if_deleted(name, pair):
    Y_true, Y_score = pair
    known = ~np.isnan(Y_true)
    assume(known.any())
    measure = MEASURES[name]
    rows = [one_ranking(name, t[k], s[k]) for t, s, k in zip(Y_true, Y_score, known)]
    labels = [one_ranking(name, t[k], s[k]) for t, s, k in zip(Y_true.T, Y_score.T, known.T)]
    np.testing.assert_allclose(measure(Y_true, Y_score, average="rows"), rows)
    np.testing.assert_allclose(measure(Y_true, Y_score, average=None), labels)
    pooled = one_ranking(name, Y_true[known], Y_score[known])
    assume(not np.isnan(pooled))
    assert measure(Y_true, Y_score, average="micro") == pytest.approx(pooled)


@examples
@given(pair=rankings(truths=(0, 1, np.nan)))
def test_rows_of_the_listwise_measures_count_on_their_known_labels(pair):
    Y_true, Y_score = pair
    known = ~np.isnan(Y_true)
    assume(known.any())
    kept = [(t[k][None], s[k][None]) for t, s, k in zip(Y_true, Y_score, known) if k.any()]
    for measure in (metrics.coverage_error, metrics.ranking_loss):
        expected = np.mean([measure(t, s) for t, s in kept])
        assert measure(Y_true, Y_score) == pytest.approx(expected)
    expected = np.mean([metrics.precision_at_k(t, s, k=min(2, t.shape[1])) for t, s in kept])
    assert metrics.precision_at_k(Y_true, Y_score, k=2) == pytest.approx(expected)


def test_sparse_truth_equals_dense():
    rng = np.random.default_rng(0)
    Y_true, Y_score = rng.integers(0, 2, (20, 5)), rng.random((20, 5))
    assert metrics.roc_auc(sparse.csr_array(Y_true), Y_score) == metrics.roc_auc(Y_true, Y_score)


def test_a_mean_of_nothing_is_nan_and_warns():
    with pytest.warns(UndefinedMetricWarning, match="both a true and a false entry"):
        assert np.isnan(metrics.roc_auc([[1, 0]], [[0.1, 0.2]], average="macro"))


@pytest.mark.parametrize(
    ("Y_score", "message"),
    [
        ([[0.1, np.nan]], "Y_score holds NaN"),
        ([[0.1, -np.inf]], "Y_score holds NaN or infinity"),
        ([[0.1]], r"Y_score has shape \(1, 1\)"),
    ],
)
def test_bad_scores_are_named(Y_score, message):
    with pytest.raises(ValueError, match=message):
        metrics.roc_auc([[1, 0]], Y_score)


@pytest.mark.parametrize("k", [0, 3, 1.5])
def test_k_out_of_range_is_named(k):
    with pytest.raises(ValueError, match=f"k={k} must be a whole number between 1 and 2"):
        metrics.precision_at_k([[1, 0]], [[0.1, 0.2]], k=k)


def test_float32_scores_stay_so():
    score = np.array([[1.0, 1.0 + 1e-9]], dtype=np.float64)
    assert metrics.roc_auc([[0, 1]], score, average="samples") == 1.0
    assert metrics.roc_auc([[0, 1]], score.astype(np.float32), average="samples") == 0.5
