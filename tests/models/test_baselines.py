"""Baselines against other libraries and textbook loops."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.callback import ProgressBar
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain as SklearnChain
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from labelfield import (
    BinaryRelevance,
    ClassifierChain,
    ClassifierChainEnsemble,
    DependentRelevance,
    InstanceBasedLogistic,
    LabelPowerset,
    MLkNN,
    ProbabilisticClassifierChain,
    RandomLabelsets,
    StackedRelevance,
)
from labelfield.datasets import make_multilabel
from labelfield.kernels.sets.bits import all_sets
from labelfield.metrics import get_scorer
from labelfield.models.powerset.random_labelsets import draw_labelsets

DATA = make_multilabel(n_samples=150, n_labels=4, random_state=0)
X, Y = np.asarray(DATA.X), DATA.Y.astype(int)


def logistic(C=1.0):
    return LogisticRegression(C=C, tol=1e-10, max_iter=5000)


def probability_of(model, sets):
    joint = model.predict_joint(X)
    return np.exp(joint.log_prob(np.broadcast_to(sets, (len(X), *sets.shape)).astype(np.uint8)))


def test_binary_relevance_is_logistic_regression_per_label():
    model = BinaryRelevance(alpha=0.5, tol=1e-9).fit(X, Y)
    for j in range(4):
        twin = logistic(C=2.0).fit(X, Y[:, j])
        np.testing.assert_allclose(model.coef_[j], twin.coef_[0], atol=1e-5)
        ours = model.predict_proba(X)[:, j]
        np.testing.assert_allclose(ours, twin.predict_proba(X)[:, 1], atol=1e-5)


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), RandomForestClassifier(5, random_state=0)]
)
def test_any_classifier_serves_as_estimator(estimator):
    model = BinaryRelevance(estimator).fit(X, Y)
    twin = estimator.fit(X, Y[:, 1])
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], twin.predict_proba(X)[:, 1], atol=1e-9)


def test_classifier_without_probabilities():
    model = BinaryRelevance(LinearSVC()).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X)[:, 0], LinearSVC().fit(X, Y[:, 0]).predict(X))
    powerset = LabelPowerset(LinearSVC()).fit(X, Y)
    codes = np.unique(Y, axis=0, return_inverse=True)[1].ravel()
    np.testing.assert_array_equal(
        powerset.predict(X), powerset.sets_[LinearSVC().fit(X, codes).predict(X)]
    )


@pytest.mark.parametrize("estimator", [None, LogisticRegression(tol=1e-8, max_iter=1000)])
def test_unknown_labels_are_left_out_of_their_problem(estimator):
    holed = Y.astype(float)
    holed[:50, 2] = np.nan
    model = BinaryRelevance(estimator, alpha=1.0, tol=1e-9).fit(X, holed)
    twin = logistic().fit(X[50:], Y[50:, 2])
    np.testing.assert_allclose(model.predict_proba(X)[:, 2], twin.predict_proba(X)[:, 1], atol=1e-4)


def test_sample_weight_needs_an_estimator_that_takes_it():
    with pytest.raises(ValueError, match="KNeighborsClassifier takes none"):
        BinaryRelevance(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(len(X)))


def test_powerset_is_multinomial_regression_over_sets():
    sets, codes = np.unique(Y, axis=0, return_inverse=True)
    twin = logistic().fit(X, codes.ravel())
    ours = probability_of(LabelPowerset(alpha=1.0, tol=1e-9).fit(X, Y), sets)
    np.testing.assert_allclose(ours, twin.predict_proba(X), atol=1e-4)


def test_powerset_with_one_set_only():
    model = LabelPowerset().fit(X, np.tile([1, 0, 1], (len(X), 1)))
    np.testing.assert_array_equal(model.predict(X[:3]), [[1, 0, 1]] * 3)


@pytest.mark.parametrize("estimator", [None, LogisticRegression(tol=1e-10, max_iter=5000)])
@pytest.mark.parametrize("order", [None, [2, 0, 3, 1]])
def test_chain_equals_scikit_learn(estimator, order):
    ours = ClassifierChain(estimator, order=order, alpha=1.0, tol=1e-9).fit(X, Y)
    theirs = SklearnChain(logistic(), order=order).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_probabilistic_chain_finds_the_best_set(estimator):
    model = ProbabilisticClassifierChain(estimator, order=[1, 3, 0, 2]).fit(X, Y)
    p = probability_of(model, all_sets(4))
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict_joint(X).mode(), all_sets(4)[p.argmax(axis=1)])


def test_ensemble_votes():
    members = ClassifierChainEnsemble(n_chains=3, random_state=0).fit(X, Y)
    mean = np.mean([chain.predict_proba(X) for chain in members.chains_], axis=0)
    np.testing.assert_allclose(members.predict_proba(X), mean, atol=1e-9)
    by_set = ClassifierChainEnsemble(n_chains=3, voting="subset", random_state=0).fit(X, Y)
    mean = np.mean([probability_of(chain, by_set.sets_) for chain in by_set.chains_], axis=0)
    ours = probability_of(by_set, by_set.sets_)
    assert np.abs(ours - mean).max() < 0.2  # each chain is restricted before it votes
    np.testing.assert_allclose(ours.sum(axis=1), 1.0)


def test_ensemble_of_subsamples_differs_from_whole():
    whole = ClassifierChainEnsemble(n_chains=2, random_state=0).fit(X, Y)
    part = ClassifierChainEnsemble(n_chains=2, subsample=0.5, random_state=0).fit(X, Y)
    assert np.abs(whole.predict_proba(X) - part.predict_proba(X)).max() > 1e-3


@pytest.mark.parametrize(
    ("n_labels", "size", "n_sets", "overlapping"),
    [
        (6, 3, None, True),
        (5, 2, 10, True),
        (7, 3, None, False),
        (2, 3, None, True),
        (40, 3, 60, True),
    ],
)
def test_labelsets_are_distinct_and_cover_every_label(n_labels, size, n_sets, overlapping):
    groups = draw_labelsets(n_labels, size, n_sets, overlapping, np.random.default_rng(0))
    assert len({tuple(g) for g in groups}) == len(groups)
    assert set(np.concatenate(groups)) == set(range(n_labels))
    if n_sets:
        assert len(groups) == n_sets
    if not overlapping:
        assert sum(map(len, groups)) == n_labels


def test_random_labelsets_average_their_members():
    model = RandomLabelsets(n_sets=4, set_size=2, random_state=0).fit(X, Y)
    votes, counts = np.zeros(Y.shape), np.zeros(4)
    for labels, member in zip(model.labelsets_, model.models_):
        votes[:, labels] += member.predict_proba(X)
        counts[labels] += 1
    np.testing.assert_allclose(model.predict_proba(X), votes / counts, atol=1e-9)


def test_disjoint_hard_votes_are_the_members_decisions():
    model = RandomLabelsets(overlapping=False, voting="hard", set_size=2, random_state=0).fit(X, Y)
    for labels, member in zip(model.labelsets_, model.models_):
        decisions = member.predict_joint(X).mode()
        np.testing.assert_array_equal(model.predict(X)[:, labels], decisions)


def test_dependent_relevance_reads_predicted_labels():
    model = DependentRelevance(alpha=1.0, tol=1e-9).fit(X, Y)
    first = BinaryRelevance(alpha=1.0, tol=1e-9).fit(X, Y).predict(X)
    twin = logistic().fit(np.c_[X, Y[:, 1:]], Y[:, 0])
    expected = twin.predict_proba(np.c_[X, first[:, 1:]])[:, 1]
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], expected, atol=1e-4)


def test_stacking_without_features_sees_probabilities_only():
    model = StackedRelevance(passthrough=False, cv=3).fit(X, Y)
    assert model.second_level_.coef.shape == (4, 4)
    with pytest.raises(ValueError, match="'cv' parameter"):
        StackedRelevance(cv=1).fit(X, Y)


def textbook_mlknn(X, Y, X_new, k, s=1.0):
    """ML-kNN as in the paper, label by label and row by row."""
    answers = np.empty((len(X_new), Y.shape[1]))
    for j in range(Y.shape[1]):
        tables = {0: np.zeros(k + 1), 1: np.zeros(k + 1)}
        for i, x in enumerate(X):
            distance = ((X - x) ** 2).sum(axis=1)
            distance[i] = np.inf
            tables[Y[i, j]][Y[np.argsort(distance)[:k], j].sum()] += 1
        prior = (s + Y[:, j].sum()) / (2 * s + len(Y))
        for i, x in enumerate(X_new):
            c = Y[np.argsort(((X - x) ** 2).sum(axis=1))[:k], j].sum()
            with_label = prior * (s + tables[1][c]) / (s * (k + 1) + tables[1].sum())
            without = (1 - prior) * (s + tables[0][c]) / (s * (k + 1) + tables[0].sum())
            answers[i, j] = with_label / (with_label + without)
    return answers


def test_mlknn_equals_the_textbook():
    model = MLkNN(n_neighbors=4).fit(X[:100], Y[:100])
    expected = textbook_mlknn(X[:100], Y[:100], X[100:], 4)
    np.testing.assert_allclose(model.predict_proba(X[100:]), expected, rtol=1e-9)


def test_iblr_is_logistic_regression_on_neighbour_shares():
    model = InstanceBasedLogistic(n_neighbors=5, alpha=1e-2, tol=1e-7).fit(X, Y)
    shares = model.neighborhood_.training_counts(X) / 5
    twin = logistic(C=100.0).fit(shares, Y[:, 2])
    expected = twin.predict_proba(model.neighborhood_.counts(X) / 5)[:, 1]
    np.testing.assert_allclose(model.predict_proba(X)[:, 2], expected, atol=1e-4)


def test_neighbours_need_two_rows():
    with pytest.raises(ValueError, match="at least 2 training rows"):
        MLkNN().fit(X[:1], Y[:1])


def test_pipelines_frames_and_grid_search():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    labels = pd.DataFrame(Y, columns=list("abcd"))
    pipe = make_pipeline(StandardScaler(), BinaryRelevance()).set_output(transform="pandas")
    pipe.fit(frame, labels)
    assert list(pipe[-1].label_names_) == list("abcd")
    assert list(pipe[-1].feature_names_in_) == list(frame.columns)
    search = GridSearchCV(
        pipe, {"binaryrelevance__alpha": [0.1, 100.0]}, scoring=get_scorer("subset_accuracy"), cv=3
    )
    assert search.fit(frame, labels).best_params_["binaryrelevance__alpha"] in (0.1, 100.0)


def test_sample_weight_is_routed():
    weights = np.r_[np.zeros(50), np.ones(100)]
    with sklearn.config_context(enable_metadata_routing=True):
        model = BinaryRelevance(alpha=1.0, tol=1e-9).set_fit_request(sample_weight=True)
        search = GridSearchCV(
            model,
            {"alpha": [1.0]},
            cv=[(np.arange(150), np.arange(150))],
            scoring=get_scorer("hamming_loss"),
        )
        routed = search.fit(X, Y, sample_weight=weights).best_estimator_.predict_proba(X)
    direct = BinaryRelevance(alpha=1.0, tol=1e-9).fit(X[50:], Y[50:]).predict_proba(X)
    np.testing.assert_allclose(routed, direct, atol=1e-5)


def test_progress_is_reported(capsys):
    model = ClassifierChainEnsemble(n_chains=2, random_state=0)
    model.set_callbacks(ProgressBar()).fit(X, Y)
    assert "ClassifierChainEnsemble" in capsys.readouterr().out


def test_sparse_features_are_never_densified(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("densified")

    wide = sp.random(60, 500, density=0.02, format="csr", random_state=0)
    for model in (BinaryRelevance(), ClassifierChain(), LabelPowerset(), DependentRelevance()):
        with monkeypatch.context() as patch:
            patch.setattr(sp.csr_matrix, "toarray", refuse)
            patch.setattr(sp.csr_matrix, "todense", refuse)
            model.fit(wide, Y[:60]).predict(wide)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (BinaryRelevance(alpha=-1.0), "alpha"),
        (BinaryRelevance(l1_ratio=2.0), "l1_ratio"),
        (ClassifierChain(order=[0, 1]), "order"),
        (ClassifierChain(order="best"), "order"),
        (RandomLabelsets(voting="loud"), "voting"),
        (RandomLabelsets(set_size=0), "set_size"),
        (RandomLabelsets(overlapping=False, n_sets=3), "n_sets"),
        (ClassifierChainEnsemble(n_chains=0), "n_chains"),
        (ClassifierChainEnsemble(subsample=0.0), "subsample"),
        (ClassifierChainEnsemble(voting="loud"), "voting"),
        (MLkNN(n_neighbors=0), "n_neighbors"),
        (MLkNN(smoothing=0.0), "smoothing"),
        (LabelPowerset(alpha=-1.0), "alpha"),
    ],
)
def test_wrong_parameters_are_named(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, Y)
