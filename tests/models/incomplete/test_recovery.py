"""Finding missing and wrong labels."""

import numpy as np
import pytest
from scipy.special import expit, logit

from labelfield import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    DependentRelevance,
    LabelCorrelationImputer,
    MLkNN,
    PairwiseCRF,
    recover,
)
from labelfield.datasets import hide_labels, make_multilabel
from labelfield.kernels.sets.bits import all_sets
from labelfield.model_selection import MultilabelStratifiedKFold
from labelfield.models.incomplete.recovery import Recovery

DATA = make_multilabel(n_samples=300, n_labels=4, coupling=3.0, random_state=0)
X, Y = DATA.X, DATA.Y
HOLED = hide_labels(Y, 0.3, how="entries", random_state=1)
MISSING, WRONG = 0.3, 0.05


def likelihood_of_marks(marks, sets):
    """Return P(mark_l | y_l) for every listed set: (M, L)."""
    p_one = np.where(sets == 1, 1.0 - MISSING, WRONG)
    return np.where(np.isnan(marks), 1.0, np.where(marks == 1, p_one, 1.0 - p_one))


@pytest.mark.parametrize(
    "model",
    [
        PairwiseCRF(),
        ConditionalBernoulliMixture(n_components=3, max_iter=2, random_state=0),
        BinaryRelevance(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_given_labels_follow_bayes_rule(model):
    model.fit(X, Y)
    answer = model.predict_given(X[:8], HOLED[:8], missing_rate=MISSING, wrong_rate=WRONG)
    sets = all_sets(4)
    law = np.exp(model.predict_joint(X[:8]).log_prob(np.broadcast_to(sets, (8, *sets.shape))))
    for p, marks, row in zip(law, HOLED[:8], answer):
        likelihood = likelihood_of_marks(marks, sets)
        for label in range(4):
            others = np.delete(likelihood, label, axis=1).prod(axis=1)
            wanted = (p * others * sets[:, label]).sum() / (p * others).sum()
            np.testing.assert_allclose(row[label], wanted, atol=1e-9)


def test_without_known_labels_the_answer_is_the_marginals():
    model = PairwiseCRF().fit(X, Y)
    nothing = np.full(Y.shape, np.nan)
    np.testing.assert_allclose(model.predict_given(X, nothing), model.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [PairwiseCRF(), DependentRelevance(), LabelCorrelationImputer()],
    ids=lambda model: type(model).__name__,
)
def test_known_labels_of_another_shape_or_value_are_refused(model):
    model.fit(X, Y)
    with pytest.raises(ValueError, match="known must have shape"):
        model.predict_given(X, Y[:, :-1])
    with pytest.raises(ValueError, match="known holds 0.5; entries must be 0, 1 or NaN"):
        model.predict_given(X, np.full(Y.shape, 0.5))


def test_independent_labels_tell_nothing_of_each_other():
    model = BinaryRelevance().fit(X, Y)
    np.testing.assert_allclose(model.predict_given(X, HOLED), model.predict_proba(X), atol=1e-9)


def test_dependent_relevance_reads_the_other_labels():
    model = DependentRelevance().fit(X, Y)
    first = expit(model.first_level_.log_odds(X))
    values = np.where(np.isnan(HOLED), first, HOLED)
    wanted = expit(model.second_level_.log_odds(X, values))
    np.testing.assert_allclose(model.predict_given(X, HOLED), wanted)


def test_rows_are_judged_by_models_that_have_not_seen_them():
    found = recover(X, Y, BinaryRelevance(), cv=3, random_state=5)
    folds = MultilabelStratifiedKFold(3, shuffle=True, random_state=5)
    own = np.where(Y == 1, np.log(0.9 / 0.02), np.log(0.1 / 0.98))
    for train, test in folds.split(Y, Y):
        log_odds = logit(BinaryRelevance().fit(X[train], Y[train]).predict_proba(X[test]))
        np.testing.assert_allclose(found.probabilities[test], expit(log_odds + own[test]))


def test_planted_mistakes_come_first():
    rng = np.random.default_rng(2)
    marks = Y.copy()
    rows = rng.choice(len(Y), 30, replace=False)
    columns = rng.integers(4, size=30)
    marks[rows, columns] ^= 1
    planted = set(zip(rows.tolist(), columns.tolist()))
    found = recover(X, marks, PairwiseCRF())
    names = list(found.label_names)
    top = found.suspects(60)
    hits = sum((one.row, names.index(one.label)) in planted for one in top)
    assert hits > 3 * 60 * len(planted) / marks.size
    doubts = [one.probability if one.observed == 0 else 1 - one.probability for one in top]
    assert doubts == sorted(doubts, reverse=True)
    np.testing.assert_array_equal(found.labels, marks)


def test_kinds_part_the_suspects():
    found = recover(X, HOLED, PairwiseCRF())
    sizes = {kind: len(found.suspects(kind=kind)) for kind in ("missing", "wrong", "unknown")}
    assert sizes == {
        "missing": (HOLED == 0).sum(),
        "wrong": (HOLED == 1).sum(),
        "unknown": np.isnan(HOLED).sum(),
    }
    assert len(found.suspects()) == sizes["missing"] + sizes["wrong"]
    assert {one.kind for one in found.suspects(5, kind="wrong")} == {"wrong"}
    of_row = [one for one in found.suspects() if one.row == 3]
    assert found.of_row(3) == of_row
    with pytest.raises(ValueError, match="kind must be one of"):
        found.suspects(kind="odd")


def test_unknown_labels_are_filled_in_and_known_ones_kept():
    found = recover(X, HOLED, PairwiseCRF())
    known = ~np.isnan(HOLED)
    np.testing.assert_array_equal(found.labels[known], Y[known])
    right = (found.labels == Y)[~known].mean()
    alone = recover(X, HOLED, BinaryRelevance())
    assert right > (alone.labels == Y)[~known].mean()


def test_zeros_are_filled_in_where_only_ones_are_known():
    marks = hide_labels(Y, 0.4, random_state=0)
    found = recover(X, marks, PairwiseCRF(), positives_only=True, missing_rate=0.4)
    assert (found.labels >= marks).all()
    added = found.labels > marks
    assert Y[added].mean() > Y[marks == 0].mean() + 0.2


def test_unmarked_rows_teach_nothing_where_only_ones_are_known():
    marks = Y.copy()
    marks[:100] = 0
    usable = marks.any(axis=1)
    found = recover(X, marks, BinaryRelevance(), positives_only=True)
    folds = MultilabelStratifiedKFold(5, shuffle=True, random_state=0)
    train, test = next(iter(folds.split(marks, marks)))
    train = train[usable[train]]
    p = BinaryRelevance().fit(X[train], marks[train]).predict_proba(X[test])
    own = np.where(marks[test] == 1, np.log(0.9 / 0.02), np.log(0.1 / 0.9))
    np.testing.assert_allclose(found.probabilities[test], expit(logit(p) + own))


def test_rows_and_labels_of_which_nothing_is_known():
    marks = HOLED.copy()
    marks[4] = np.nan
    marks[:, 2] = np.nan
    marks[:, 3] = 0
    found = recover(X, marks, PairwiseCRF())
    assert np.isfinite(found.probabilities).all()
    assert (found.probabilities[:, 3] < 0.1).all()


def test_labels_that_the_folds_cannot_know_are_not_judged():
    rare = np.zeros((len(Y), 3), dtype=Y.dtype)
    rare[7, 0] = 1  # once present
    rare[:, 1] = 1
    rare[9, 1] = 0  # once absent
    marks = np.hstack([Y, rare])  # the last one never
    found = recover(X, marks, BinaryRelevance())
    judged = {(one.row, one.label) for one in found.suspects()}
    assert (7, "y4") not in judged
    assert (9, "y5") not in judged
    assert "y6" not in {label for _, label in judged}
    assert "y4" in {label for _, label in judged}  # where another fold holds the one row
    assert found.of_row(7)[0].label != "y4"
    n_rows = len(Y) // 5
    assert found.n_not_judged == len(Y) + 2 * n_rows
    assert repr(found) == "Recovery(rows=300, labels=7, not judged: 420 of 2100 marks)"
    assert np.isfinite(found.probabilities).all()


def test_marks_of_a_hand_made_recovery_are_all_judged():
    found = Recovery(Y, Y * 0.5, Y.astype(float), np.array(list("abcd")))
    assert found.n_not_judged == 0
    assert len(found.suspects()) == Y.size


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Y": np.full(Y.shape, np.nan)}, "marks no label"),
        ({"X": np.where(X[0, 0] == X, np.nan, X)}, "NaN"),
        ({"model": MLkNN(), "Y": HOLED}, "MLkNN cannot learn"),
        ({"model": object()}, "no object that has predict_given"),
        ({"model": PairwiseCRF}, "no object that has predict_given"),
        ({"cv": 1}, "cv=1"),
        ({"cv": "all"}, "cv='all'"),
        ({"positives_only": "yes"}, "positives_only='yes' must be True or False"),
        ({"missing_rate": "low"}, "missing_rate must lie"),
        ({"missing_rate": 0.0}, "missing_rate must lie"),
        ({"wrong_rate": 1.0}, "wrong_rate must lie"),
        ({"Y": Y[:-1]}, "inconsistent"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_is_named(change, words):
    arguments = {"X": X, "Y": Y, "model": PairwiseCRF(), **change}
    with pytest.raises(ValueError, match=words):
        recover(**arguments)
