import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn import metrics as reference

from labelfield import metrics

examples = settings(max_examples=25, deadline=None)

RATIOS = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
    "jaccard": metrics.jaccard_score,
}
AVERAGES = ["samples", "macro", "micro", None, "rows"]


def indicator_pairs(elements=(0, 1)):
    shapes = hnp.array_shapes(min_dims=2, max_dims=2, max_side=7)
    return shapes.flatmap(
        lambda shape: st.tuples(
            hnp.arrays(np.float64, shape, elements=st.sampled_from(elements)),
            hnp.arrays(np.uint8, shape, elements=st.sampled_from([0, 1])),
        )
    )


def textbook(name, truth, predicted, empty):
    """One score from two Python sets."""
    both, either = len(truth & predicted), len(truth | predicted)
    if either == 0:
        return empty
    whole = {
        "precision": len(predicted),
        "recall": len(truth),
        "f1": (len(truth) + len(predicted)) / 2,
        "jaccard": either,
    }[name]
    return both / whole if whole else 0.0


def members(vector):
    return set(np.flatnonzero(vector == 1))


@pytest.mark.parametrize("name", RATIOS)
@examples
@given(pair=indicator_pairs())
def test_every_average_equals_the_score_of_python_sets(name, pair):
    Y_true, Y_pred = pair
    rows = [textbook(name, members(t), members(p), 1.0) for t, p in zip(Y_true, Y_pred)]
    labels = [textbook(name, members(t), members(p), 0.0) for t, p in zip(Y_true.T, Y_pred.T)]
    pooled = textbook(name, members(Y_true.ravel()), members(Y_pred.ravel()), 0.0)
    score = RATIOS[name]
    np.testing.assert_allclose(score(Y_true, Y_pred, average="rows"), rows)
    np.testing.assert_allclose(score(Y_true, Y_pred, average=None), labels)
    assert score(Y_true, Y_pred, average="samples") == pytest.approx(np.mean(rows))
    assert score(Y_true, Y_pred, average="macro") == pytest.approx(np.mean(labels))
    assert score(Y_true, Y_pred, average="micro") == pytest.approx(pooled)


@pytest.mark.parametrize("name", ["f1", "jaccard"])
@pytest.mark.parametrize(("average", "empty"), [("samples", 1.0), ("macro", 0.0)])
def test_equals_scikit_learn_with_the_matching_rule_for_empty_sets(name, average, empty):
    rng = np.random.default_rng(0)
    Y_true, Y_pred = (rng.random((2, 50, 6)) < 0.25).astype(int)
    Y_true[:, 0] = Y_pred[:, 0] = 0
    expected = getattr(reference, f"{name}_score")(
        Y_true, Y_pred, average=average, zero_division=empty
    )
    assert RATIOS[name](Y_true, Y_pred, average=average) == pytest.approx(expected)


@pytest.mark.parametrize("name", RATIOS)
@pytest.mark.parametrize("average", ["macro", "micro", None])
def test_equals_scikit_learn_over_labels(name, average):
    Y_true, Y_pred = (np.random.default_rng(1).random((2, 40, 5)) < 0.3).astype(int)
    expected = getattr(reference, f"{name}_score")(Y_true, Y_pred, average=average)
    np.testing.assert_allclose(RATIOS[name](Y_true, Y_pred, average=average), expected)


@examples
@given(pair=indicator_pairs())
def test_subset_accuracy_and_hamming_loss_equal_scikit_learn(pair):
    Y_true, Y_pred = pair
    n, L = Y_true.shape
    # one column would be read as a class vector by scikit-learn, which gives the same two figures
    assert metrics.subset_accuracy(Y_true, Y_pred) == pytest.approx(
        reference.accuracy_score(Y_true.astype(int), Y_pred)
    )
    assert metrics.hamming_loss(Y_true, Y_pred) == pytest.approx(
        reference.hamming_loss(Y_true.astype(int), Y_pred)
    )
    for average in ("samples", "macro"):
        assert metrics.hamming_loss(Y_true, Y_pred, average=average) == pytest.approx(
            metrics.hamming_loss(Y_true, Y_pred)
        )
    assert metrics.hamming_loss(Y_true, Y_pred, average=None).shape == (L,)
    assert metrics.hamming_loss(Y_true, Y_pred, average="rows").shape == (n,)


@pytest.mark.parametrize("name", RATIOS)
def test_empty_sets_by_hand(name):
    Y_true = [[0, 0], [0, 0], [1, 0]]
    Y_pred = [[0, 0], [1, 0], [0, 0]]
    np.testing.assert_array_equal(RATIOS[name](Y_true, Y_pred, average="rows"), [1, 0, 0])
    np.testing.assert_array_equal(RATIOS[name](Y_true, Y_pred, average=None), [0, 0])
    np.testing.assert_array_equal(RATIOS[name](Y_true, Y_pred, average=None, empty=1), [0, 1])
    np.testing.assert_array_equal(RATIOS[name](Y_true, Y_pred, average="rows", empty=0), [0, 0, 0])
    nothing = np.zeros((3, 2))
    assert RATIOS[name](nothing, nothing, average="micro") == 0.0
    assert RATIOS[name](nothing, nothing, average="micro", empty=1.0) == 1.0


@pytest.mark.parametrize("name", RATIOS)
@examples
@given(pair=indicator_pairs(elements=(0, 1, np.nan)))
def test_unknown_entries_count_as_if_deleted(name, pair):
    Y_true, Y_pred = pair
    known = ~np.isnan(Y_true)
    if not known.any():
        return
    score = RATIOS[name]
    rows = [score([t[k]], [p[k]]) if k.any() else np.nan for t, p, k in zip(Y_true, Y_pred, known)]
    labels = [
        score(t[k], p[k], average="micro") if k.any() else np.nan
        for t, p, k in zip(Y_true.T, Y_pred.T, known.T)
    ]
    np.testing.assert_allclose(score(Y_true, Y_pred, average="rows"), rows)
    np.testing.assert_allclose(score(Y_true, Y_pred, average=None), labels)
    assert score(Y_true, Y_pred, average="samples") == pytest.approx(np.nanmean(rows))
    assert score(Y_true, Y_pred, average="macro") == pytest.approx(np.nanmean(labels))
    assert score(Y_true, Y_pred, average="micro") == pytest.approx(
        score(Y_true[known], Y_pred[known], average="micro")
    )


@examples
@given(pair=indicator_pairs(elements=(0, 1, np.nan)))
def test_a_set_is_right_when_its_known_labels_are(pair):
    Y_true, Y_pred = pair
    known = ~np.isnan(Y_true)
    if not known.any():
        return
    rows = [
        float((t[k] == p[k]).all()) if k.any() else np.nan for t, p, k in zip(Y_true, Y_pred, known)
    ]
    np.testing.assert_array_equal(metrics.subset_accuracy(Y_true, Y_pred, average="rows"), rows)
    assert metrics.subset_accuracy(Y_true, Y_pred) == pytest.approx(np.nanmean(rows))
    assert metrics.hamming_loss(Y_true, Y_pred) == pytest.approx(
        np.mean(Y_true[known] != Y_pred[known])
    )


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("sparse_side", ["true", "pred", "both"])
@examples
@given(pair=indicator_pairs(elements=(0, 1, np.nan)))
def test_sparse_equals_dense(average, sparse_side, pair):
    Y_true, Y_pred = pair
    if np.isnan(Y_true).all():
        return
    given_true = sparse.csr_array(Y_true) if sparse_side != "pred" else Y_true
    given_pred = sparse.csc_matrix(Y_pred) if sparse_side != "true" else Y_pred
    for score in (metrics.f1_score, metrics.hamming_loss):
        np.testing.assert_allclose(
            score(given_true, given_pred, average=average), score(Y_true, Y_pred, average=average)
        )


def test_sparse_sets_of_ten_million_labels_need_no_dense_array():
    Y = sparse.random_array((100_000, 10_000_000), density=1e-8, rng=0, format="csr")
    Y.data[:] = 1
    assert metrics.f1_score(Y, Y, average="micro") == 1.0
    assert metrics.subset_accuracy(Y, Y) == 1.0


def test_stored_zeros_and_duplicates_are_read_as_their_sum():
    Y = sparse.csr_array(([0.0, 0.5, 0.5], [0, 1, 1], [0, 1, 3]), shape=(2, 2))
    assert metrics.f1_score(Y, [[0, 0], [0, 1]]) == 1.0
    assert Y.nnz == 3, "the caller's matrix was changed"


@pytest.mark.parametrize("name", [*RATIOS, "hamming_loss", "subset_accuracy"])
@examples
@given(pair=indicator_pairs(elements=(0, 1, np.nan)))
def test_pairwise_equals_row_against_row(name, pair):
    Y_true, Y_pred = pair
    if np.isnan(Y_true).all():
        return
    score = {**RATIOS, **{m: getattr(metrics, m) for m in ("hamming_loss", "subset_accuracy")}}[
        name
    ]
    table = metrics.pairwise_score(Y_true, Y_pred[:2], metric=name)
    for column, p in zip(table.T, Y_pred[:2]):
        expected = score(Y_true, np.tile(p, (len(Y_true), 1)), average="rows")
        np.testing.assert_allclose(column, expected)


def test_a_vector_is_a_single_label():
    assert metrics.f1_score([1, 0, 1], [[1], [0], [0]], average="macro") == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("Y_true", "Y_pred", "message"),
    [
        ([[1, 2]], [[1, 0]], "Y_true holds 2"),
        ([[1, 0]], [[1, 0.5]], "Y_pred holds 0.5"),
        ([[1, 0]], [[1, np.nan]], "Y_pred holds NaN"),
        ([[1, 0]], [[1, 0, 1]], r"Y_true has shape \(1, 2\) and Y_pred has shape \(1, 3\)"),
        ([[1, 0]], [[1, 0], [1, 0]], "Y_pred has shape"),
        ([[[1]]], [[1]], "Y_true has 3 dimensions"),
        ([["a", "b"]], [[1, 0]], "Y_true holds text"),
        ([[np.nan, np.nan]], [[1, 0]], "no known entry"),
        (np.zeros((0, 3)), np.zeros((0, 3)), "no known entry"),
    ],
)
def test_bad_input_is_named(Y_true, Y_pred, message):
    with pytest.raises(ValueError, match=message):
        metrics.f1_score(Y_true, Y_pred)


def test_unknown_options_are_named():
    with pytest.raises(ValueError, match="average='rows of'.* choose one of 'samples'"):
        metrics.f1_score([[1]], [[1]], average="rows of")
    with pytest.raises(ValueError, match="metric='f2'"):
        metrics.pairwise_score([[1]], [[1]], metric="f2")
