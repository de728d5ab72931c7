import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from labelfield import (
    BinaryRelevance,
    ClassifierChain,
    ClassifierChainEnsemble,
    DependentRelevance,
    ProbabilisticClassifierChain,
    StackedRelevance,
)
from labelfield.datasets import make_multilabel
from labelfield.learners.class_weight import weigh_entries

DATA = make_multilabel(n_samples=150, n_labels=3, random_state=0)
X, Y = DATA.X, DATA.Y.astype(np.uint8)
FIXED = {"alpha": 1.0, "tol": 1e-9}
MODELS = [
    BinaryRelevance(**FIXED),
    StackedRelevance(cv=3, **FIXED),
    DependentRelevance(**FIXED),
    ClassifierChain(**FIXED),
    ProbabilisticClassifierChain(**FIXED),
    ClassifierChainEnsemble(n_chains=2, random_state=0, **FIXED),
]


def logistic(class_weight, j):
    options = {"C": 1.0, "tol": 1e-9, "max_iter": 5000, "class_weight": class_weight}
    return LogisticRegression(**options).fit(X, Y[:, j]).predict_proba(X)[:, 1]


def test_balanced_labels_equal_scikit_learn():
    model = BinaryRelevance(class_weight="balanced", **FIXED).fit(X, Y)
    for j in range(3):
        np.testing.assert_allclose(model.predict_proba(X)[:, j], logistic("balanced", j), atol=1e-5)


def test_mappings_equal_scikit_learn():
    frame = pd.DataFrame(Y, columns=["a", "b", "c"])
    weights = {"b": 3.0, 2: {0: 0.5, 1: 2.0}}
    model = BinaryRelevance(class_weight=weights, **FIXED).fit(X, frame)
    for j, expected in enumerate((None, {0: 1.0, 1: 3.0}, {0: 0.5, 1: 2.0})):
        found = model.predict_proba(X)[:, j]
        np.testing.assert_allclose(found, logistic(expected, j), atol=1e-5)


def test_classes_of_a_flat_target_are_the_keys():
    words = np.where(Y[:, 0] == 1, "yes", "no")
    for model in (BinaryRelevance(**FIXED), MODELS[-1]):
        model = model.set_params(class_weight={"yes": 3.0}).fit(X, words)
        expected = logistic({0: 1.0, 1: 3.0}, 0)
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-5)


def test_clones_are_weighted_too():
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    model = BinaryRelevance(tree, class_weight={1: 5.0}).fit(X, Y)
    twin = DecisionTreeClassifier(max_depth=2, random_state=0, class_weight={0: 1.0, 1: 5.0})
    expected = twin.fit(X, Y[:, 1]).predict_proba(X)[:, 1]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-9)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_weight_of_a_label_raises_its_probability(model):
    plain = model.set_params(class_weight=None).fit(X, Y).predict_proba(X).mean(axis=0)
    weighted = model.set_params(class_weight={1: 4.0}).fit(X, Y).predict_proba(X).mean(axis=0)
    assert weighted[1] > plain[1] + 0.05
    assert abs(weighted[0] - plain[0]) < 0.05


def test_balance_counts_known_entries_and_sample_weights():
    known = np.random.default_rng(0).random(Y.shape) < 0.8
    times = np.random.default_rng(1).random(len(Y))
    found = weigh_entries("balanced", Y, times, known=known) * known
    for j in range(3):
        present = found[Y[:, j] == 1, j].sum()
        np.testing.assert_allclose(present, found[Y[:, j] == 0, j].sum())
        np.testing.assert_allclose(2 * present, times @ known[:, j])


def test_constant_labels_keep_their_weight():
    constant = Y.copy()
    constant[:, 0] = 1
    assert (weigh_entries("balanced", constant)[:, 0] == 1.0).all()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"d": 2.0}, "names the label 'd', but there are 3 labels, 'y0'"),
        ({3: 2.0}, "numbers from 0 to 2"),
        ({0: -1.0}, "class_weight of 0 is -1.0"),
        ({0: {0: np.inf}}, "class_weight of 0 is inf"),
        ({0: "much"}, "class_weight of 0 is 'much'"),
    ],
)
def test_wrong_weights_are_named(weights, message):
    with pytest.raises(ValueError, match=message):
        BinaryRelevance(class_weight=weights).fit(X, Y)
