"""The description of the data against counting by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.metrics import matthews_corrcoef

from labelfield.label_graph.pairs import pair_counts, phi_coefficients
from labelfield.report.summary import describe_data

LABELS = arrays(
    np.float64,
    st.tuples(st.integers(1, 10), st.integers(1, 4)),
    elements=st.sampled_from([0.0, 1.0, np.nan]),
)


@settings(max_examples=50, deadline=None)
@given(LABELS)
def test_counts_are_those_of_a_loop(Y):
    data = describe_data(Y)
    n, L = Y.shape
    whole = [tuple(row) for row in Y if not np.isnan(row).any()]
    assert data["rows"] == n
    assert data["labels"] == L
    assert data["cardinality"] == pytest.approx(sum((row == 1).sum() for row in Y) / n)
    assert data["distinct_sets"] == len(set(whole))
    assert data["empty_rows"] == sum(not any(row) for row in whole)
    assert data["unknown"] == np.isnan(Y).sum()
    found = {label["name"]: label for label in data["frequencies"]}
    for k in range(L):
        known = Y[~np.isnan(Y[:, k]), k]
        label = found[f"label {k + 1}"]
        assert label["count"] == known.sum()
        assert label["share"] == pytest.approx(known.mean() if len(known) else 0.0)
    given_that = data["co_occurrence"]["given"]
    for a in range(L):
        for b in range(L):
            rows = Y[(Y[:, a] == 1) & ~np.isnan(Y[:, b]), b]
            assert given_that[a][b] == (pytest.approx(rows.mean(), abs=5e-5) if len(rows) else None)
    assert sum(size["count"] for size in data["set_sizes"]) == n


@settings(max_examples=50, deadline=None)
@given(LABELS)
def test_pairs_are_sorted_and_true(Y):
    pairs = describe_data(Y, n_pairs=100)["top_pairs"]
    counts = [pair["count"] for pair in pairs]
    assert counts == sorted(counts, reverse=True)
    for pair in pairs:
        a, b = (int(pair[end].split()[1]) - 1 for end in "ab")
        both_known = Y[~np.isnan(Y[:, [a, b]]).any(axis=1)][:, [a, b]]
        assert pair["count"] == (both_known.sum(axis=1) == 2).sum() > 0
        shares = both_known.mean(axis=0)
        assert pair["lift"] == pytest.approx(
            both_known.all(axis=1).mean() / (shares[0] * shares[1])
        )


@settings(max_examples=50, deadline=None)
@given(LABELS)
def test_phi_is_the_correlation_of_known_pairs(Y):
    phi = phi_coefficients(pair_counts(Y == 1, ~np.isnan(Y)))
    for a in range(Y.shape[1]):
        for b in range(Y.shape[1]):
            rows = Y[~np.isnan(Y[:, [a, b]]).any(axis=1)][:, [a, b]]
            varied = len(rows) and rows.std(axis=0).all()
            expected = matthews_corrcoef(*rows.T) if a != b and varied else 0.0
            assert phi[a, b] == pytest.approx(expected, abs=1e-12)


def test_sparse_labels_say_the_same():
    Y = (np.random.default_rng(0).random((30, 4)) < 0.4).astype(int)
    assert describe_data(sparse.csr_array(Y)) == describe_data(Y)


def test_many_labels_are_cut_to_the_most_frequent():
    rng = np.random.default_rng(0)
    Y = rng.random((50, 130)) < np.linspace(0.9, 0.01, 130)
    shown = describe_data(Y)["co_occurrence"]["names"]
    often = [label["name"] for label in describe_data(Y)["frequencies"][:100]]
    assert sorted(shown) == sorted(often)


@pytest.mark.parametrize(
    ("Y", "more", "message"),
    [
        (np.zeros((0, 3)), {}, "at least one row"),
        (np.zeros((2, 3)), {"label_names": ["a"]}, "label_names has 1 names for 3 labels"),
        ([[2, 0]], {}, "Y holds 2"),
    ],
)
def test_errors_name_the_argument(Y, more, message):
    with pytest.raises(ValueError, match=message):
        describe_data(Y, **more)
