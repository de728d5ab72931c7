"""The structured SVM and the clique generating machine as classifiers."""

from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from labelfield import BinaryRelevance, CliqueGeneratingMachine, LabelGraph, StructuredSVM
from labelfield.datasets import make_star_cliques
from labelfield.decode import SubsetDecoder

QUICK = {"alpha": 0.03, "tol": 0.05, "cv": 2, "random_state": 0}


@pytest.fixture(scope="module")
def star():
    return make_star_cliques(400, 5, n_edges=2, random_state=0)


@pytest.fixture(scope="module")
def machine(star):
    return CliqueGeneratingMachine(cliques_per_round=1, **QUICK).fit(star.X, star.Y)


def test_the_machine_finds_the_true_edges(machine):
    assert sorted(machine.cliques_) == [(0, 1), (0, 2)]
    assert set(machine.generated_[:2]) == {(0, 1), (0, 2)}
    assert machine.objective_[2] < machine.objective_[1] < machine.objective_[0]
    assert machine.gap_ <= machine.tol
    assert {frozenset(pair) for pair in machine.label_graph_.pairs.tolist()} == {
        frozenset((0, 1)),
        frozenset((0, 2)),
    }


def test_decisions_maximise_the_score(machine, star):
    sets = np.array(list(product((0, 1), repeat=5)), dtype=np.uint8)
    products = np.stack([sets[:, list(term)].all(axis=1) for term in machine.terms_], axis=1)
    psi = np.hstack([star.X[:50], np.ones((50, 1))])
    scores = psi @ machine.coef_ @ products.T.astype(float)
    answer = machine.predict(star.X[:50], decoder=SubsetDecoder(allow_empty=True))
    np.testing.assert_array_equal(answer, sets[scores.argmax(axis=1)])
    joint = machine.predict_joint(star.X[:50])
    log_p = scores / machine.temperature_
    log_p -= np.log(np.exp(log_p).sum(axis=1, keepdims=True))
    listed = np.broadcast_to(sets, (50, *sets.shape))
    np.testing.assert_allclose(joint.log_prob(listed), log_p, atol=1e-9)


def test_the_temperature_is_better_than_its_neighbours(machine):
    test = make_star_cliques(400, 5, n_edges=2, random_state=0)

    def surprise(temperature):
        model = CliqueGeneratingMachine()
        model.__dict__.update(machine.__dict__, temperature_=temperature)
        return -model.predict_joint(test.X).log_prob(test.Y).mean()

    best = surprise(machine.temperature_)
    assert best < surprise(10.0 * machine.temperature_)
    assert best < surprise(0.1 * machine.temperature_)


def test_edges_help_where_labels_depend(star):
    train, test = slice(0, 300), slice(300, None)

    def loss(graph):
        model = StructuredSVM(graph=graph, **QUICK).fit(star.X[train], star.Y[train])
        return (model.predict(star.X[test]) != star.Y[test]).mean()

    assert loss([(0, 1), (0, 2)]) < loss("none")


def test_graphs_by_name_by_number_and_as_a_label_graph_are_the_same(star):
    graphs = [
        [("y0", "y2"), ("y1", "y0")],
        np.array([[0, 1], [0, 2]]),
        LabelGraph(("y0", "y1", "y2", "y3", "y4"), np.array([[0, 1], [0, 2]]), np.ones(2)),
    ]
    models = [StructuredSVM(graph=graph, **QUICK).fit(star.X, star.Y) for graph in graphs]
    for model in models:
        assert model.cliques_ == [(0, 1), (0, 2)]
        np.testing.assert_array_equal(model.coef_, models[0].coef_)


def test_named_graphs(star):
    assert StructuredSVM(graph="none", **QUICK).fit(star.X, star.Y).cliques_ == []
    tree = StructuredSVM(graph="tree", **QUICK).fit(star.X, star.Y).cliques_
    assert len(tree) == 4
    assert len(StructuredSVM(**QUICK).fit(star.X, star.Y).cliques_) == 10


def test_triples(star):
    model = StructuredSVM(graph=[(0, 1, 2)], **QUICK).fit(star.X, star.Y)
    assert model.terms_[5:] == [(0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert model.predict_joint(star.X[:3]).exact
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    odd = rng.random((300, 2)) < 0.5
    Y = np.column_stack([odd, odd[:, 0] ^ odd[:, 1]]).astype(np.uint8)  # known by the triple only
    triple = CliqueGeneratingMachine(max_order=3, cliques_per_round=1, **QUICK).fit(X, Y)
    assert triple.generated_[0] == (0, 1, 2)


def test_unknown_labels_and_bad_cliques_are_refused(star):
    def fit(graph):
        return StructuredSVM(graph=graph).fit(star.X, star.Y)

    with pytest.raises(ValueError, match=r"'sea'.*y0, y1"):
        fit([("y0", "sea")])
    with pytest.raises(ValueError, match=r"label 7.*0 to 4"):
        fit([(0, 7)])
    with pytest.raises(ValueError, match="two or three different labels"):
        fit([(1, 1)])
    with pytest.raises(ValueError, match="two or three different labels"):
        fit([(0, 1, 2, 3)])
    with pytest.raises(ValueError, match="'graph' parameter"):
        fit("ring")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"alpha": 0}, "'alpha' parameter"),
        ({"tol": -1}, "'tol' parameter"),
        ({"cv": 1}, "'cv' parameter"),
        ({"max_order": 4}, "'max_order' parameter"),
        ({"cliques_per_round": 0}, "'cliques_per_round' parameter"),
        ({"smoothing": 0.0}, "'smoothing' parameter"),
        ({"prune": 2}, "'prune' parameter"),
        ({"estimator": LinearSVC()}, "predict_proba"),
    ],
)
def test_bad_parameters_are_refused(star, parameters, words):
    with pytest.raises(ValueError, match=words):
        CliqueGeneratingMachine(**parameters).fit(star.X, star.Y)


@pytest.mark.parametrize("model", [CliqueGeneratingMachine, StructuredSVM])
def test_identical_exclusive_and_constant_labels(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    first = (X[:, 0] > 0).astype(int)
    zero = np.zeros(80, dtype=int)
    Y = np.column_stack([first, first, 1 - first, zero, zero + 1])
    answer = model(**QUICK).fit(X, Y).predict(X)
    assert (answer[:, 0] == answer[:, 1]).all()
    assert (answer[:, 0] != answer[:, 2]).all()
    assert (answer != Y).mean() < 0.02
    assert not answer[:, 3].any()
    assert answer[:, 4].all()


def test_limits_of_the_machine(star):
    def fit(**parameters):
        return CliqueGeneratingMachine(min_gain=-1.0, prune=None, **parameters, **QUICK).fit(
            star.X, star.Y
        )

    assert len(fit(max_cliques=4).cliques_) == 4
    assert fit(max_cliques=0).cliques_ == []
    narrow = fit(max_width=1).cliques_
    assert len(narrow) == 4  # a tree, at most
    with pytest.raises(ValueError, match="'max_width' parameter"):
        fit(max_width=0)


def test_log_odds_of_a_classifier_in_place_of_features(star):
    machine = CliqueGeneratingMachine(BinaryRelevance(), **QUICK).fit(star.X, star.Y)
    assert machine.coef_.shape[0] == 6
    answer = machine.predict(star.X)
    assert (answer != star.Y).mean() < (
        BinaryRelevance().fit(star.X, star.Y).predict(star.X) != star.Y
    ).mean()


def test_running_out_of_passes_is_told(star):
    with pytest.warns(ConvergenceWarning, match=r"duality gap is .* max_iter=2 rounds"):
        StructuredSVM(alpha=1e-5, max_iter=2, tol=1e-3, cv=2).fit(star.X, star.Y)
