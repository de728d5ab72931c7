"""Which rows the promises of classifiers rest on."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

from labelfield import BinaryRelevance, CalibratedSetClassifier, Costs, LabelPowerset, SetReranker
from labelfield.datasets import make_multilabel
from labelfield.io import load, save
from labelfield.metrics import f1_score
from labelfield.promise import AcceptancePlan, acceptance

CHEAP = {"calibrator": "isotonic", "label_calibration": None, "cv": 2}


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(n_samples=1600, n_labels=3, random_state=0)
    return made.X[:1200], made.Y[:1200], made.X[1200:], made.Y[1200:]


@pytest.fixture(scope="module")
def exact(data):
    return CalibratedSetClassifier(LabelPowerset(alpha=1.0), **CHEAP).fit(*data[:2])


def test_a_fifth_of_many_rows_is_held_out(data, exact):
    X, Y, _, _ = data
    held = np.sort(np.random.default_rng(0).permutation(1200)[:240])
    kept = np.setdiff1d(np.arange(1200), held)
    rows = exact.reviewed_rows_
    assert rows.exact
    np.testing.assert_array_equal(rows.truth.toarray(), Y[held])
    np.testing.assert_array_equal(rows.sets.toarray(), exact.predict(X[held]))
    np.testing.assert_allclose(rows.confidence, exact.predict_confidence(X[held]))
    np.testing.assert_allclose(rows.log_prob, exact.predict_joint(X[held]).log_prob(Y[held]))
    alone = LabelPowerset(alpha=1.0).fit(X[kept], Y[kept])
    np.testing.assert_array_equal(exact.predict(X), alone.predict(X))
    assert len(rows.others) == 960


@pytest.mark.parametrize(
    ("promise", "cv", "n_rows", "is_exact"),
    [
        ("auto", 2, 240, True),
        (0.5, 2, 600, True),
        (4, 2, 1200, False),
        ("auto", KFold(2), 1200, False),
    ],
)
def test_ways_to_choose_the_rows(data, promise, cv, n_rows, is_exact):
    model = CalibratedSetClassifier(LabelPowerset(alpha=1.0), **CHEAP | {"cv": cv}, promise=promise)
    rows = model.fit(data[0], data[1]).reviewed_rows_
    assert (len(rows.confidence), rows.exact) == (n_rows, is_exact)


def test_rows_with_unknown_labels_are_not_held_out(data):
    X, Y, _, _ = data
    holed = Y.astype(float)
    holed[:100, 0] = np.nan
    model = CalibratedSetClassifier(BinaryRelevance(alpha=1.0), **CHEAP).fit(X, holed)
    assert len(model.reviewed_rows_.confidence) == 220


def test_acceptance_is_the_planned_test_on_the_held_out_rows(data, exact):
    rows = exact.reviewed_rows_
    plan = AcceptancePlan.from_confidences(rows.others, 240, 0.5, 0.9)
    by_hand = acceptance(rows.confidence, rows.values(), plan)
    found = exact.acceptance(0.5, 0.9)
    assert (found.met, found.threshold, found.rate) == (True, by_hand.threshold, by_hand.rate)
    route = exact.route(data[2], 0.5, 0.9)
    assert route.exact
    np.testing.assert_array_equal(
        route.accept, exact.predict_confidence(data[2]) >= found.threshold
    )
    assert "Exact, 240 reviewed rows" in str(route)


def test_measures_of_the_kept_rows(exact):
    rows = exact.reviewed_rows_
    sets, truth = rows.sets.toarray(), rows.truth.toarray()
    np.testing.assert_array_equal(rows.values(), (sets == truth).all(axis=1))
    np.testing.assert_allclose(rows.values("f1"), f1_score(truth, sets, average="rows"))
    both = (sets & truth).sum(axis=1)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(rows.values("recall"), both / truth.sum(axis=1))
        np.testing.assert_allclose(rows.values("precision"), both / sets.sum(axis=1))
    held, said = truth[:, 1], sets[:, 1]
    np.testing.assert_array_equal(rows.values("recall", 1), np.where(held == 1, said, np.nan))
    np.testing.assert_array_equal(rows.values("precision", 1), np.where(said == 1, held, np.nan))
    costs = Costs(1, 4, missing=3)
    np.testing.assert_allclose(rows.costs(costs), costs.of_sets(sets, truth))


def test_other_promises(exact):
    f1 = exact.acceptance(0.5, measure="f1")
    assert f1.met
    assert "mean F1" in str(f1)
    one = exact.acceptance(0.5, measure="precision", label="y1")
    assert one.measure == "precision of label 'y1'"
    assert one.n_rows == int(exact.reviewed_rows_.sets[:, [1]].sum())
    assert exact.acceptance(0.5, measure="precision", label=1).threshold == one.threshold
    costs = exact.acceptance(costs=Costs(review=1.0, wrong=2.0))
    assert costs.accuracy == 0.5
    graded = exact.acceptance(costs=Costs(review=1.0, wrong=2.0, missing=0.1))
    assert graded.n_rows == 240
    for arguments, message in (
        ({"measure": "jaccard"}, "measure must be one of"),
        ({"measure": "exact", "label": 0}, "give 'recall' or 'precision'"),
        ({"measure": "recall", "label": "sea"}, "none of the 3 labels"),
    ):
        with pytest.raises(ValueError, match=message):
            exact.acceptance(**arguments)


def test_alternatives_hold_the_truth(data, exact):
    _, _, X_new, Y_new = data
    listed = exact.predict_alternatives(X_new, coverage=0.8, max_sets=8)
    assert listed.exact
    assert not listed.nothing_excluded.any()  # there are eight sets in all
    assert listed.summary(Y_new)["coverage"] > 0.74
    few = exact.predict_alternatives(X_new, coverage=0.95, max_sets=2)
    assert few.nothing_excluded.any()
    assert few.covers(Y_new).mean() > 0.9
    with pytest.raises(ValueError, match="max_sets"):
        exact.predict_alternatives(X_new, max_sets=0)


@pytest.mark.parametrize("wrapper", [CalibratedSetClassifier, SetReranker])
def test_out_of_fold_alternatives_are_close(data, wrapper):
    X, Y, X_new, Y_new = data
    model = wrapper(LabelPowerset(alpha=1.0), **CHEAP).fit(X[:600], Y[:600])
    assert not model.reviewed_rows_.exact
    listed = model.predict_alternatives(X_new, coverage=0.8)
    assert not listed.exact
    assert 0.72 < listed.summary(Y_new)["coverage"] < 0.95


def test_rows_given_later_make_exact_promises(data, tmp_path):
    X, Y, X_new, Y_new = data
    model = SetReranker(LabelPowerset(alpha=1.0), promise=None, **CHEAP).fit(X[:400], Y[:400])
    with pytest.raises(ValueError, match="promise_on"):
        model.route(X_new)
    found = model.promise_on(X_new, Y_new).acceptance(0.5)
    assert found.exact
    assert found.n_rows == 400
    save(model, tmp_path / "model.lf")
    again = load(tmp_path / "model.lf")
    assert again.acceptance(0.5).threshold == found.threshold
