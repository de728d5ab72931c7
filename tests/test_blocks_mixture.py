"""Mixtures fitted to blocks: the answers of all rows at once."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

import row_blocks
from labelfield import (
    BoostedTrees,
    ConditionalBernoulliMixture,
    EarlyStopping,
    LogisticRegressions,
)
from labelfield.datasets import RowBlocks, make_multilabel
from labelfield.learners.rows import MemoryRows, Targets
from labelfield.learners.rows.design import as_design
from labelfield.models.mixture.streamed.own_rows_loss import OwnRowsLoss, survey_rows
from row_blocks import KilledError, dying, fit_with_kills

TIGHT = {"n_components": 3, "alpha": 1.0, "tol": 1e-10, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(n_samples=120, n_features=5, n_labels=4, random_state=0)
    X = np.column_stack([made.X, np.full(120, 2.0)])
    return X, np.asarray(made.Y), np.random.default_rng(0).integers(0, 3, 120).astype(float)


cut = partial(row_blocks.cut, size=50)


@pytest.mark.parametrize(
    "settings",
    [
        {"early_stopping": False, "max_iter": 4},
        {"early_stopping": False, "max_iter": 3, "structure": "dense", "init": "sets"},
        {"early_stopping": EarlyStopping(patience=2), "max_iter": 4},
        {"early_stopping": True, "max_iter": 3, "decoder": "f1"},
    ],
    ids=["sparse", "dense", "early", "early-f1"],
)
def test_blocks_give_the_answer_of_all_rows(data, settings):
    X, Y, weight = data
    whole = ConditionalBernoulliMixture(**TIGHT, **settings).fit(X, Y, weight)
    parts = ConditionalBernoulliMixture(**TIGHT, **settings).fit(cut(data))
    assert parts.n_iter_ == whole.n_iter_
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(parts.trace_.objective, whole.trace_.objective, rtol=1e-9)


def test_sparse_blocks_of_which_components_use_some_columns(data):
    X, Y, _ = data
    X = X * (np.abs(X) > 1.2)
    settings = TIGHT | {"early_stopping": False, "max_iter": 3}
    whole = ConditionalBernoulliMixture(**settings).fit(sp.csr_matrix(X), Y)
    parts = ConditionalBernoulliMixture(**settings).fit(cut((X, Y), convert=sp.csr_matrix))
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-8)
    assert sp.issparse(parts.predict(X))


def test_the_loss_of_own_rows_is_that_of_each_component_alone(data):
    X, Y, weight = data
    gamma = np.random.default_rng(1).dirichlet([0.2, 0.2], len(X)) * weight[:, None]
    gamma[gamma < 0.05] = 0.0
    rows = MemoryRows(as_design(X), Targets.of(Y), gamma)
    survey = survey_rows(rows, sparse=True)
    columns = np.array([0, 0, 1]), np.array([0, 2, 1])
    loss = OwnRowsLoss(rows, survey, *columns, sparse=True)
    W = np.random.default_rng(2).normal(size=(X.shape[1] + 1, 3))
    W[-2] = 0.0  # of the constant column
    value, gradient, _ = loss.terms(W)
    for c, (k, label) in enumerate(zip(*columns)):
        own = gamma[:, k] > 0
        centred = X[own] - np.average(X[own], axis=0, weights=gamma[own, k])
        z = centred @ W[:-1, c] + W[-1, c]
        terms = np.logaddexp(0.0, z) - Y[own, label] * z
        assert value[c] == pytest.approx(gamma[own, k] @ terms)
        residual = gamma[own, k] * (1.0 / (1.0 + np.exp(-z)) - Y[own, label])
        np.testing.assert_allclose(gradient[:-1, c], centred.T @ residual, atol=1e-9)
        assert gradient[-1, c] == pytest.approx(residual.sum())


def test_a_killed_fit_goes_on_and_ends_equal(data, tmp_path):
    model = ConditionalBernoulliMixture(**TIGHT, max_iter=2, early_stopping=EarlyStopping())
    blocks = cut(data[:2])
    wanted, scores = model.fit(blocks).predict_proba(data[0]), model.validation_scores_
    needed, passes = fit_with_kills(model, blocks, tmp_path / "state", shares=(0.25, 0.33, 0.33))
    assert passes < needed // 2
    np.testing.assert_array_equal(model.predict_proba(data[0]), wanted)
    assert model.validation_scores_ == scores


def test_a_checkpoint_of_another_mixture_is_refused(data, tmp_path):
    model = ConditionalBernoulliMixture(**TIGHT, max_iter=2, early_stopping=False)
    with pytest.raises(KilledError):
        model.fit(dying(cut(data), 60, tmp_path)[0])
    with pytest.raises(ValueError, match="other data or with other arguments"):
        model.set_params(init="sets").fit(dying(cut(data), 99, tmp_path)[0])


def test_what_cannot_be_fitted_in_blocks_says_what_to_change(data, tmp_path):
    blocks = cut(data[:2])
    for settings, message in [
        ({"structure": "shared"}, "choose structure='sparse'"),
        ({"components": BoostedTrees()}, "choose components='logistic'"),
        ({"components": LogisticRegressions(l1_ratio=0.5)}, "choose components='logistic'"),
        ({"gate": LogisticRegression()}, "leave out `gate`"),
        ({"estimator": LogisticRegression()}, "leave out `estimator`"),
    ]:
        with pytest.raises(ValueError, match=message):
            ConditionalBernoulliMixture(**settings).fit(blocks)
    with pytest.raises(ValueError, match="random_state=None cannot be had again"):
        ConditionalBernoulliMixture(alpha=1.0).fit(RowBlocks(lambda: blocks, checkpoint=tmp_path))
    far = [(X + 1e9, Y) for X, Y in blocks]
    with pytest.raises(ValueError, match="too far from zero"):
        ConditionalBernoulliMixture().fit(far)
