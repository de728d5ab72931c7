"""Graph, heat map and precision-recall curves against counts and scikit-learn."""

import sys

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain as PlainChain
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

import labelfield
from labelfield import (
    BinaryRelevance,
    ConditionalGraphicalLasso,
    CorrelatedLogistic,
    LabelGraphDisplay,
    LabelPowerset,
    PairHeatmapDisplay,
    PrecisionRecallDisplay,
    make_pipeline,
)
from labelfield.datasets import make_multilabel

DATA = make_multilabel(n_samples=200, n_labels=4, coupling=2.0, random_state=1)
X, Y, X_NEW, Y_NEW = DATA.X[:120], DATA.Y[:120], DATA.X[120:], DATA.Y[120:]
HOLES = np.where(np.random.default_rng(0).random(Y.shape) < 0.2, np.nan, Y)


def test_the_graph_is_the_one_of_the_model():
    model = make_pipeline(StandardScaler(), CorrelatedLogistic(objective="pseudo", alpha=5.0))
    display = LabelGraphDisplay.from_estimator(model.fit(X, Y))
    assert display.graph.edges() == model.steps[-1][1].label_graph_.edges()
    assert len(display.ax_.patches) == len(display.graph.edges())
    _, ax = plt.subplots()
    strongest = abs(display.graph.weights[0])
    assert display.plot(ax, threshold=strongest).ax_ is ax
    assert len(ax.patches) == 1


def test_the_graph_of_a_row_and_who_has_none():
    model = ConditionalGraphicalLasso(objective="pseudo", alpha=1.0, edge_alpha=1.0).fit(X, Y)
    display = LabelGraphDisplay.from_estimator(model, X_NEW[0])
    assert display.graph.edges() == model.label_graph(X_NEW[0]).edges()
    plain = CorrelatedLogistic(objective="pseudo", alpha=5.0).fit(X, Y)
    with pytest.raises(ValueError, match="leave out x"):
        LabelGraphDisplay.from_estimator(plain, X_NEW[0])
    with pytest.raises(ValueError, match="BinaryRelevance has no label_graph_"):
        LabelGraphDisplay.from_estimator(BinaryRelevance(alpha=1.0).fit(X, Y))


def test_the_graph_of_sets_has_correlations_as_weights():
    display = LabelGraphDisplay.from_predictions(Y, label_names="abcd")
    expected = np.corrcoef(Y.T)
    for first, second, weight in display.graph.edges():
        pair = "abcd".index(first), "abcd".index(second)
        assert weight == pytest.approx(expected[pair])


def shares_by_hand(Y):
    L = Y.shape[1]
    shares = np.full((L, L), np.nan)
    for a in range(L):
        for b in range(L):
            rows = [row for row in Y if row[a] == 1 and not np.isnan(row[b])]
            if rows:
                shares[a, b] = sum(row[b] for row in rows) / len(rows)
    return shares


def test_the_heat_map_shows_shares_in_the_order_of_its_ticks():
    display = PairHeatmapDisplay.from_predictions(HOLES, label_names=["a", "b", "c", "d"])
    expected = shares_by_hand(HOLES)
    np.testing.assert_allclose(display.matrix, expected)
    ticks = [text.get_text() for text in display.ax_.get_yticklabels()]
    order = ["abcd".index(name) for name in ticks]
    np.testing.assert_allclose(display.image_.get_array(), expected[np.ix_(order, order)])
    written = [text.get_text() for text in display.ax_.texts]
    assert written == [f"{value:.2f}" for value in expected[np.ix_(order, order)].ravel()]


def test_the_heat_map_of_correlations():
    display = PairHeatmapDisplay.from_predictions(Y, measure="correlation", labels=[3, 0])
    np.testing.assert_allclose(display.matrix, np.corrcoef(Y[:, [3, 0]].T))
    assert display.label_names == ["label 4", "label 1"]
    display.plot(reorder=False, include_values=False)
    np.testing.assert_allclose(display.image_.get_array(), display.matrix)
    assert not display.ax_.texts


def test_the_heat_map_of_a_model_sums_over_all_sets():
    model = LabelPowerset(alpha=1.0).fit(X, Y)
    display = PairHeatmapDisplay.from_estimator(model, X_NEW)
    sets = np.array([[k >> j & 1 for j in range(4)] for k in range(16)])
    p = np.exp(model.predict_joint(X_NEW).log_prob(np.tile(sets, (len(X_NEW), 1, 1))))
    weights = p.sum(axis=0)
    both = np.einsum("s,sa,sb->ab", weights, sets, sets)
    np.testing.assert_allclose(display.matrix, both / np.diag(both)[:, None])
    assert display.label_names == ["y0", "y1", "y2", "y3"]


def test_many_labels_leave_the_frequent_ones():
    rng = np.random.default_rng(0)
    many = (rng.random((300, 60)) < np.linspace(0.02, 0.3, 60)).astype(int)
    display = PairHeatmapDisplay.from_predictions(many)
    frequent = np.sort(np.argsort(-many.sum(axis=0), kind="stable")[:40])
    assert display.label_names == [f"label {k + 1}" for k in frequent]
    assert not display.ax_.texts
    curves = PrecisionRecallDisplay.from_predictions(many, rng.random(many.shape))
    assert len(curves.lines_) == 10


def test_curves_are_those_of_scikit_learn_on_known_rows():
    search = GridSearchCV(BinaryRelevance(), {"alpha": [1.0]}, cv=2).fit(X, Y)
    display = PrecisionRecallDisplay.from_estimator(search, X, HOLES)
    scores = search.predict_proba(X)
    for k, line in enumerate(display.lines_):
        known = ~np.isnan(HOLES[:, k])
        pair = HOLES[known, k], scores[known, k]
        precision, recall, _ = precision_recall_curve(*pair, drop_intermediate=True)
        np.testing.assert_allclose(line.get_xydata(), np.column_stack([recall, precision]))
        area = average_precision_score(*pair)
        assert display.average_precision[k] == pytest.approx(area)
        assert line.get_label() == f"y{k} (AP {area:.2f})"


def test_other_classifiers_and_chosen_labels():
    chain = PlainChain(GaussianNB()).fit(X, Y)
    display = PrecisionRecallDisplay.from_estimator(chain, X_NEW, Y_NEW, labels=["label 2"])
    area = average_precision_score(Y_NEW[:, 1], chain.predict_proba(X_NEW)[:, 1])
    assert display.average_precision == pytest.approx([area])
    with pytest.raises(ValueError, match="labels holds 'sea'"):
        PrecisionRecallDisplay.from_estimator(chain, X_NEW, Y_NEW, labels=["sea"])


def test_a_label_that_never_occurs_has_no_curve():
    empty = Y_NEW.copy()
    empty[:, 2] = 0
    scores = np.random.default_rng(0).random(Y_NEW.shape)
    assert len(PrecisionRecallDisplay.from_predictions(empty, scores).lines_) == 3
    with pytest.raises(ValueError, match="known to have label 3"):
        PrecisionRecallDisplay.from_predictions(empty, scores, labels=[2])
    with pytest.raises(ValueError, match="every label"):
        PrecisionRecallDisplay.from_predictions(0 * empty, scores)


def test_a_joint_is_needed_for_expected_pairs():
    chain = PlainChain(GaussianNB()).fit(X, Y)
    with pytest.raises(ValueError, match="ClassifierChain gives no joint"):
        PairHeatmapDisplay.from_estimator(chain, X_NEW)


@pytest.mark.parametrize("name", [n for n in labelfield.__all__ if n.endswith("Display")])
def test_without_matplotlib_the_extra_is_named(name, monkeypatch):
    arguments = {
        "PrecisionRecallDisplay": (Y_NEW, Y_NEW),
        "LabelGraphDisplay": (Y_NEW,),
        "PairHeatmapDisplay": (Y_NEW,),
    }.get(name, ([0.9], [1]))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"matplotlib.*labelfield\[viz\]"):
        getattr(labelfield, name).from_predictions(*arguments)
