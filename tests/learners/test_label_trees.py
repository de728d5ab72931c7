"""Trees of LightGBM for every label."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier

import labelfield
from labelfield.learners import LabelTrees


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.stack([X[:, 0] > 0, X[:, 0] * X[:, 1] > 0, np.zeros(n)], axis=1).astype(int)


def test_boosting_equals_lightgbm_itself():
    X, Y = rows()
    got = LabelTrees(n_trees=30).fit(X, Y).predict_proba(X)
    twin = LGBMClassifier(
        n_estimators=30,
        num_leaves=15,
        min_child_samples=5,
        colsample_bytree=0.5,
        random_state=0,
        deterministic=True,
        force_row_wise=True,
        n_jobs=1,
        verbosity=-1,
    )
    for label in (0, 1):
        wanted = twin.fit(X, Y[:, label]).predict_proba(X)[:, 1]
        np.testing.assert_allclose(got[:, label], wanted, atol=1e-9)
    np.testing.assert_allclose(got[:, 2], 0.5 / 301)


@pytest.mark.parametrize("kind", ["boosting", "forest"])
def test_learns_what_no_line_can_tell(kind):
    X, Y = rows()
    new, truth = rows(seed=1)
    predicted = LabelTrees(kind).fit(X, Y).predict(new)
    assert (predicted == truth).mean(axis=0).min() > 0.8


def test_one_dimensional_target():
    X, Y = rows()
    trees = LabelTrees(n_trees=10).fit(X, Y[:, 0])
    p = trees.predict_proba(X)
    assert p.shape == (300, 2)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(trees.predict(X), p[:, 1] > 0.5)


def test_inside_a_model_it_is_saved_as_text(tmp_path):
    X, Y = rows()
    model = labelfield.BinaryRelevance(LabelTrees("forest", n_trees=10)).fit(X, Y)
    model.save(tmp_path / "m.lf")
    again = labelfield.load(tmp_path / "m.lf")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_classes():
    X, Y = rows()
    codes = np.array(["low", "mid", "high"])[Y[:, 0] + Y[:, 1]]
    trees = LabelTrees(n_trees=30).fit(X, codes)
    assert trees.classes_.tolist() == ["high", "low", "mid"]
    np.testing.assert_allclose(trees.predict_proba(X).sum(axis=1), 1.0)
    assert trees.score(X, codes) > 0.9
    alone = LabelTrees().fit(X, np.full(300, "low"))
    assert set(alone.predict(X)) == {"low"}


def test_a_row_of_weight_two_is_that_row_twice():
    X, Y = rows(n=80)
    weight = np.where(np.arange(80) < 40, 2.0, 1.0)
    twice = np.concatenate([np.arange(80), np.arange(40)])
    one_leaf = {"n_trees": 1}  # leaf values are weighted sums; splits depend on counts of rows
    p = LabelTrees(**one_leaf).fit(np.zeros((80, 1)), Y[:, :1], weight).predict_proba(X[:1, :1])
    q = LabelTrees(**one_leaf).fit(np.zeros((120, 1)), Y[twice, :1]).predict_proba(X[:1, :1])
    np.testing.assert_allclose(p, q, rtol=1e-6)
