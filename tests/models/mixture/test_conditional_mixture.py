"""Conditional Bernoulli mixtures: special cases, EM, structure, early stopping."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier

from labelfield import (
    BinaryRelevance,
    BoostedTrees,
    ConditionalBernoulliMixture,
    EarlyStopping,
    LabelPowerset,
    LogisticRegressions,
    load,
)
from labelfield.joints import base as joints_base
from labelfield.learners.rows import as_rows
from labelfield.metrics import subset_accuracy
from labelfield.models.mixture.parts import Components
from labelfield.models.mixture.starts import mixture_start, sets_start

KINDS = {
    "sparse": {},
    "dense": {"structure": "dense"},
    "shared": {"structure": "shared"},
    "boosted": {"components": "boosted"},
    "clones": {"estimator": LogisticRegression(), "gate": LogisticRegression(C=1e3)},
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
FIXED = {"n_components": 3, "early_stopping": False, "max_iter": 4, "random_state": 0}


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 4))
    Y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(80, 3)) > 0.2).astype(np.uint8)
    Y[:, 2] &= 1 - Y[:, 0]
    return X, Y


@pytest.mark.parametrize("structure", ["dense", "shared"])
def test_em_never_lowers_the_penalised_likelihood(data, structure):
    model = ConditionalBernoulliMixture(**{**FIXED, "max_iter": 8, "tol": 1e-8})
    model.set_params(structure=structure).fit(*data)
    assert model.n_iter_ > 3
    assert (np.diff(model.trace_.objective) < 1e-9).all()


def test_objective_is_the_penalised_mean_log_likelihood(data):
    X, Y = data
    model = ConditionalBernoulliMixture(**FIXED, structure="dense", alpha=0.7).fit(X, Y)
    weights = [model.gate_.coef, *(c.coef for c in model.components_.components)]
    penalty = 0.35 * sum((w**2).sum() for w in weights)
    log_prob = model.predict_joint(X).log_prob(Y)
    assert model.trace_.objective[-1] == pytest.approx((penalty - log_prob.sum()) / len(Y))


def test_one_component_is_binary_relevance(data):
    X, Y = data
    one = ConditionalBernoulliMixture(
        n_components=1,
        components=LogisticRegressions(n_updates=200),
        early_stopping=False,
        max_iter=3,
        tol=1e-8,
    ).fit(X, Y)
    np.testing.assert_allclose(
        one.predict_proba(X), BinaryRelevance(tol=1e-8).fit(X, Y).predict_proba(X), atol=1e-6
    )


def test_a_component_per_set_is_the_label_power_set(data):
    X, Y = data
    every = ConditionalBernoulliMixture(
        n_components=8,
        components=LogisticRegressions(n_updates=300),
        init="sets",
        early_stopping=False,
        max_iter=2,
        tol=1e-8,
    ).fit(X, Y)
    power = LabelPowerset(tol=1e-8).fit(X, Y)
    assert every.n_active_ == 0
    np.testing.assert_allclose(
        every.predict_joint(X).log_prob(Y), power.predict_joint(X).log_prob(Y), atol=1e-4
    )


def test_sparse_e_step_equals_the_plain_one(data):
    X, Y = data
    Y = np.column_stack([Y, np.zeros(len(Y), dtype=np.uint8)])
    components = ConditionalBernoulliMixture(**FIXED, init="sets").fit(X, Y).components_
    assert 0 < components.n_active() < 12
    np.testing.assert_allclose(
        components.log_prob(X, Y), Components.log_prob(components, X, Y), atol=1e-9
    )


def test_features_that_a_component_does_not_use_are_left_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 30)) * (rng.random((80, 30)) < 0.1)
    X[:, 7] = 0.0
    Y = (X[:, :3] + 0.3 * rng.normal(size=(80, 3)) > 0).astype(np.uint8)
    model = ConditionalBernoulliMixture(components=LogisticRegressions(n_updates=300), **FIXED)
    model.set_params(n_components=5, init="sets", tol=1e-9)
    dense = clone(model).fit(X, Y)
    sparse = clone(model).fit(sp.csr_matrix(X), Y)
    coef = np.concatenate([c.coef for c in sparse.components_.components], axis=1)
    assert (coef == 0).all(axis=1).sum() < 5
    assert (coef == 0).sum() > 2 * coef.shape[1]  # few of its rows use all features
    np.testing.assert_allclose(sparse.predict_proba(X), dense.predict_proba(X), atol=1e-5)


@every_kind
def test_a_dead_component_changes_nothing(data, kind):
    X, Y = data
    gate, components = ConditionalBernoulliMixture(**{**FIXED, **kind})._make_parts(1.0)
    gamma = np.zeros((len(Y), 2))
    gamma[:, 0] = 1.0
    gate.start(X, gamma)
    components.start(X, Y, gamma)
    for _ in range(2):
        gate.update(X, gamma)
        components.update(X, Y, gamma)
    logits = components.logits(X)
    assert np.isfinite(logits).all()
    assert np.exp(gate.log_weights(X))[:, 1].max() < 1e-3
    if kind.get("structure") != "shared":  # the dead one stays at the labels' rates
        rates = np.broadcast_to(_logit(Y.mean(axis=0)), Y.shape)
        np.testing.assert_allclose(logits[:, 1], rates, atol=1e-9)


def _logit(p):
    return np.log(p / (1 - p))


@every_kind
def test_fewer_rows_than_components(data, kind):
    X, Y = data
    model = ConditionalBernoulliMixture(
        n_components=20, alpha=1e-3, early_stopping=False, max_iter=3, random_state=0, **kind
    ).fit(X[:6], Y[:6])
    np.testing.assert_allclose(np.exp(model.gate_.log_weights(X)).sum(axis=1), 1.0)
    assert np.isfinite(model.predict_joint(X).log_prob(Y)).all()
    if model.components == "logistic":  # trees need five rows in a leaf
        np.testing.assert_array_equal(model.predict(X[:6]), Y[:6])


def test_early_stopping_takes_the_best_round(data):
    X, Y = data
    model = ConditionalBernoulliMixture(
        n_components=3, max_iter=8, early_stopping=EarlyStopping(patience=2), random_state=0
    )
    model.fit(X, Y)
    best = int(np.argmax(model.validation_scores_))
    assert len(model.validation_scores_) in (best + 3, 8)
    assert model.n_iter_ <= best + 1
    assert set(np.round(np.array(model.validation_scores_) * 16)) <= set(range(17))


class Steps:
    """A callback that writes down what it is told."""

    def __init__(self):
        self.told = []

    def setup(self, estimator, context):
        self.told.append("setup")

    def teardown(self, estimator, context):
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.told.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.told.append(f"end {context.task_name}")


def test_every_round_is_reported_once(data):
    steps = Steps()
    model = ConditionalBernoulliMixture(n_components=2, max_iter=4, random_state=0)
    model.set_callbacks(steps).fit(*data)
    n_rounds = len(model.validation_scores_) + model.n_iter_
    a_round = ["begin round of EM", "end round of EM"]
    assert steps.told == ["setup", "begin fit", *n_rounds * a_round, "end fit", "teardown"]


@pytest.mark.parametrize("decoder", ["f1", "hamming", "jaccard", "top_k"])
def test_early_stopping_for_other_metrics(data, decoder):
    model = ConditionalBernoulliMixture(
        n_components=2, max_iter=2, decoder=decoder, init="sets", random_state=0
    ).fit(*data)
    score = model.validation_scores_[0]
    assert score < 0 if decoder == "top_k" else 0 < score < 1


def test_too_few_rows_for_early_stopping(data):
    with pytest.raises(ValueError, match=r"needs at least 5; got 3.*early_stopping=False"):
        ConditionalBernoulliMixture().fit(data[0][:3], data[1][:3])


def test_any_classifier_as_label_learner_and_gate(data):
    X, Y = data
    model = ConditionalBernoulliMixture(
        LogisticRegression(), gate=RandomForestClassifier(10, max_depth=3, random_state=0), **FIXED
    ).fit(X, Y)
    assert subset_accuracy(Y, model.predict(X)) > 0.5
    np.testing.assert_allclose(np.exp(model.gate_.log_weights(X)).sum(axis=1), 1.0)


def test_logistic_clones_agree_with_our_logistic_components(data):
    X, Y = data
    settings = {
        "n_components": 3,
        "init": "sets",
        "early_stopping": False,
        "max_iter": 2,
        "components": LogisticRegressions(n_updates=200),
        "alpha": 1.0,
        "tol": 1e-7,
        "structure": "dense",
    }
    ours = ConditionalBernoulliMixture(**settings).fit(X, Y)
    theirs = ConditionalBernoulliMixture(
        LogisticRegression(tol=1e-8), gate=LogisticRegression(tol=1e-8), **settings
    ).fit(X, Y)
    np.testing.assert_allclose(theirs.predict_proba(X), ours.predict_proba(X), atol=1e-3)


def test_elastic_net_leaves_weights_out(data):
    sparse = LogisticRegressions(l1_ratio=0.9)
    model = ConditionalBernoulliMixture(components=sparse, alpha=5.0, **FIXED).fit(*data)
    coef = np.concatenate([c.coef.ravel() for c in model.components_.components])
    assert (coef == 0).mean() > 0.2
    assert (coef != 0).any()


def test_shared_gradient_is_that_of_the_loss(data):
    X, Y = data
    rng = np.random.default_rng(0)
    shared = ConditionalBernoulliMixture(structure="shared")._make_parts(0.5)[1]
    coef, constants = rng.normal(size=(4, 3)), rng.normal(size=(2, 3))
    gamma = rng.dirichlet([1, 1], size=len(Y))
    _, d_coef, d_constants = shared.loss(coef, constants, X, Y, gamma)
    for matrix, gradient in ((coef, d_coef), (constants, d_constants)):
        _assert_slopes(matrix, gradient, lambda: shared.loss(coef, constants, X, Y, gamma)[0])


def test_gate_gradient_is_that_of_the_loss(data):
    X, Y = data
    rng = np.random.default_rng(0)
    gate = ConditionalBernoulliMixture()._make_parts(0.5)[0]
    theta, gamma = rng.normal(size=(5, 3)), rng.dirichlet([1, 1, 1], size=len(Y))
    rows = as_rows(X, None, gamma)
    _assert_slopes(theta, gate.loss(theta, rows)[1], lambda: gate.loss(theta, rows)[0])


def _assert_slopes(matrix, gradient, value, step=1e-6):
    """Compare some entries of a gradient with central differences of `value()`."""
    for where in ((0, 0), (1, 2), (-1, 1)):
        matrix[where] += step
        above = value()
        matrix[where] -= 2 * step
        below = value()
        matrix[where] += step
        assert (above - below) / (2 * step) == pytest.approx(gradient[where], rel=1e-5)


def test_rows_are_answered_in_blocks(data, monkeypatch):
    X, Y = data
    model = ConditionalBernoulliMixture(**FIXED).fit(X, Y)
    sets, p = model.predict(X), model.predict_proba(X)
    monkeypatch.setattr(joints_base, "BLOCK_BYTES", 7 * model._bytes_per_row())
    sizes = []
    joint = model._joint
    monkeypatch.setattr(model, "_joint", lambda X: sizes.append(len(X)) or joint(X))
    np.testing.assert_array_equal(model.predict(X), sets)
    np.testing.assert_allclose(model.predict_proba(X), p, rtol=1e-12)
    assert max(sizes) == 7


def test_starts(data):
    _, Y = data
    hard = sets_start(Y, 2, None)
    sets, counts = np.unique(Y, axis=0, return_counts=True)
    assert hard.shape == (len(Y), 2)
    np.testing.assert_array_equal(hard.sum(axis=1), 1.0)
    most = sets[counts.argmax()]
    assert hard[(most == Y).all(axis=1), 0].all()
    soft = mixture_start(Y, 4, np.random.default_rng(0))
    np.testing.assert_allclose(soft.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"components": "trees"}, "'components' parameter"),
        ({"components": LogisticRegression()}, "'components' parameter"),
        ({"early_stopping": 3}, "'early_stopping' parameter"),
        ({"structure": "tied"}, "'structure' parameter"),
        ({"init": "zero"}, "'init' parameter"),
        ({"n_components": 0}, "'n_components' parameter"),
        (
            {"structure": "shared", "components": LogisticRegressions(l1_ratio=0.5)},
            "structure='shared' needs l1_ratio=0; got 0.5",
        ),
        ({"structure": "shared", "components": "boosted"}, "structure='shared' needs logistic"),
        ({"structure": "shared", "estimator": Perceptron()}, "has no predict_proba"),
        ({"estimator": KNeighborsClassifier()}, "fit takes no sample_weight"),
        ({"gate": KNeighborsClassifier()}, "fit takes no sample_weight"),
        ({"gate": Perceptron()}, "predict_proba"),
    ],
)
def test_bad_parameters(data, parameters, words):
    with pytest.raises(ValueError, match=words):
        ConditionalBernoulliMixture(**parameters).fit(*data)


@pytest.mark.parametrize(
    ("group", "parameters"),
    [
        (BoostedTrees, {"max_features": 0.0}),
        (BoostedTrees, {"max_features": "sqrt"}),
        (BoostedTrees, {"n_trees": 0}),
        (LogisticRegressions, {"l1_ratio": 2.0}),
        (EarlyStopping, {"validation_fraction": 1.0}),
        (EarlyStopping, {"patience": 2.5}),
    ],
)
def test_wrong_settings_are_named(group, parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The '{name}' parameter of {group.__name__} must be"):
        group(**parameters)


def test_settings_travel_with_the_model(data, tmp_path):
    X, Y = data
    model = ConditionalBernoulliMixture(
        components=LogisticRegressions(n_updates=3), early_stopping=EarlyStopping(patience=1)
    ).set_params(n_components=2, max_iter=2, random_state=0)
    assert clone(model).get_params() == model.get_params()
    model.fit(X, Y).save(tmp_path / "mixture.lf")
    again = load(tmp_path / "mixture.lf")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@every_kind
def test_a_weight_of_two_is_the_row_twice(data, kind):
    X, Y = data
    times = 1 + np.arange(len(Y)) % 2
    settings = {**FIXED, "init": "sets", "alpha": 1.0, "max_iter": 2, "tol": 1e-7, **kind}
    twice = np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0)
    weighted = ConditionalBernoulliMixture(**settings).fit(X, Y, sample_weight=times)
    repeated = ConditionalBernoulliMixture(**settings).fit(*twice)
    # bins and leaves of trees count rows, whatever these weigh
    atol = 0.25 if "boosted" in str(kind) else 1e-3
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=atol)
    objective = weighted.trace_.objective[-1]
    assert objective == pytest.approx(repeated.trace_.objective[-1], abs=atol)


def test_early_stopping_weighs_held_out_rows(data):
    X, Y = data
    settings = {"n_components": 3, "max_iter": 3, "alpha": 1.0, "random_state": 0}
    times = np.where(np.arange(len(Y)) % 2, 1.0, 1e-6)
    weighted = ConditionalBernoulliMixture(**settings).fit(X, Y, sample_weight=times)
    equal = ConditionalBernoulliMixture(**settings).fit(X, Y, sample_weight=np.ones(len(Y)))
    plain = ConditionalBernoulliMixture(**settings).fit(X, Y)
    np.testing.assert_allclose(equal.validation_scores_, plain.validation_scores_)
    assert weighted.validation_scores_ != plain.validation_scores_
