"""Measures of the tasks against slow definitions, and the tasks on tiny data."""

from dataclasses import replace

import numpy as np
import pytest
from lab.runner import compute
from lab.tasks.annotate import measure_annotation
from lab.tasks.classify import match_cardinality
from lab.tasks.recover import measure_recovery

from lab import (
    CrossValidation,
    Generated,
    HiddenPositives,
    Method,
    Model,
    cells_of,
)
from labelfield import BinaryRelevance, CalibratedSetClassifier
from labelfield.evaluation.answers import answer
from labelfield.metrics import brier_score


def cell_of(table, task, protocol, **source):
    """Return the first cell of a table that does one task."""
    source = Generated("make_multilabel", {"n_samples": 80, **source})
    column = replace(table.columns[0], source=source)
    changed = replace(
        table,
        task=task,
        protocol=protocol,
        columns=(column,),
        methods=(Method("BR", Model("br")),),
        published={},
        reference="",
    )
    return cells_of(changed)[0]


def test_recovery_against_the_definition():
    rng = np.random.default_rng(0)
    truth = (rng.random((30, 6)) < 0.5).astype(np.uint8)
    observed = truth * (rng.random(truth.shape) < 0.6)
    scores = rng.integers(4, size=truth.shape).astype(float)
    sets = (scores > 1).astype(np.uint8)
    hits, in_top, above = [], 0, []
    for t, o, s, y in zip(truth, observed, scores, sets):
        hidden = [j for j in range(6) if t[j] and not o[j]]
        absent = [j for j in range(6) if not t[j]]
        ranking = sorted((j for j in range(6) if not o[j]), key=lambda j: -s[j])
        in_top += len(set(ranking[: len(hidden)]) & set(hidden))
        hits += [y[j] for j in hidden]
        if absent:
            above += [np.mean([(s[j] > s[k]) + (s[j] == s[k]) / 2 for k in absent]) for j in hidden]
    found = measure_recovery(truth, observed, sets, scores)
    assert found["recovery_recall"] == pytest.approx(np.mean(hits))
    assert found["recovery_top_k"] == pytest.approx(in_top / len(hits))
    assert found["recovery_ranking"] == pytest.approx(np.mean(above))


def test_recovery_without_hidden_labels_is_refused():
    Y = np.eye(3, dtype=np.uint8)
    with pytest.raises(ValueError, match="nothing to recover"):
        measure_recovery(Y, Y, Y, Y.astype(float))


def test_annotation_against_the_definition():
    rng = np.random.default_rng(1)
    truth = (rng.random((25, 14)) < 0.3).astype(np.uint8)
    scores = rng.random(truth.shape) + truth * 0.3
    scores[:, 5] = np.linspace(0.2, 0.21, 25)  # lowered by its mean this tag is hardly ever given
    lowered = scores - 1.25 * scores.mean(axis=0)
    given = np.array([[s in sorted(row)[-10:] for s in row] for row in lowered])
    precision, recall = [], []
    for tag in range(14):
        both = (given[:, tag] & (truth[:, tag] == 1)).sum()
        n_given = given[:, tag].sum()
        precision.append(both / n_given if n_given else truth[:, tag].mean())
        recall.append(both / truth[:, tag].sum())
    found = measure_annotation(truth, scores)
    p, r = np.mean(precision), np.mean(recall)
    assert found["annotation_precision"] == pytest.approx(p)
    assert found["annotation_recall"] == pytest.approx(r)
    assert found["annotation_f1"] == pytest.approx(2 * p * r / (p + r))
    top = [truth[np.argsort(-scores[:, tag])[:3], tag].mean() for tag in range(14)]
    assert found["retrieval_p3"] == pytest.approx(np.mean(top))
    average = []
    for tag in range(14):
        ranked = truth[np.argsort(-scores[:, tag]), tag]
        places = np.flatnonzero(ranked) + 1
        average.append(np.mean([ranked[:place].mean() for place in places]))
    assert found["retrieval_map"] == pytest.approx(np.mean(average))


def test_annotation_leaves_out_tags_without_a_song():
    rng = np.random.default_rng(2)
    truth = (rng.random((30, 12)) < 0.4).astype(np.uint8)
    truth[:, 3] = 0
    found = measure_annotation(truth, rng.random(truth.shape))
    assert np.isfinite(list(found.values())).all()


def test_confidence_task_by_hand(table):
    cell = cell_of(table, "confidence", CrossValidation(3), n_labels=3)
    part = cell.protocol.part(cell.source, 0)
    model = BinaryRelevance(alpha=1.0, decoder="hamming").fit(part.train.X, part.train.Y)
    sets = model.predict(part.test.X)
    confidence = np.exp(model.predict_joint(part.test.X).log_prob(sets))
    right = (sets == part.test.Y).all(axis=1)
    figures = compute(cell)["figures"]["own"]
    assert figures["brier_score"] == pytest.approx(brier_score(right, confidence))
    assert figures["brier_score"] == pytest.approx(np.mean((right - confidence) ** 2))
    assert figures["mean_confidence"] == pytest.approx(confidence.mean())
    assert figures["subset_accuracy"] == pytest.approx(right.mean())


def test_confidence_of_a_model_that_has_its_own():
    data = Generated("make_multilabel", {"n_samples": 40}).load()
    model = CalibratedSetClassifier(BinaryRelevance(), cv=2).fit(data.X, data.Y)
    answers = answer(model, data.X, ("own", "subset"), confidence=True)
    np.testing.assert_array_equal(answers.confidence["own"], model.predict_confidence(data.X))
    joint = model.predict_joint(data.X)
    np.testing.assert_allclose(answers.confidence["subset"], np.exp(joint.log_prob(joint.mode())))


def test_recover_task_looks_at_the_training_rows(table):
    cell = cell_of(table, "recover", HiddenPositives(0.3, n_train=60))
    part = cell.protocol.part(cell.source, 0)
    answers = answer(
        BinaryRelevance(alpha=1.0, decoder="hamming").fit(part.train.X, part.train.Y),
        part.train.X,
        scores=True,
    )
    expected = measure_recovery(part.extra, part.train.Y, answers.sets["own"], answers.scores)
    assert compute(cell)["figures"]["own"] == pytest.approx(expected)


def test_annotate_task_runs(table):
    cell = cell_of(table, "annotate", CrossValidation(3), n_labels=12)
    figures = compute(cell)["figures"]["own"]
    assert 0 < figures["annotation_precision"] < 1
    assert 0.5 < figures["retrieval_auc"] < 1


def test_scores_are_measured_where_a_table_asks_for_them(table):
    asked = replace(table, metrics=("roc_auc_macro",), published={}, reference="")
    cell = cells_of(asked, methods=["LP"])[0]
    assert cell.score_metrics == ("roc_auc_macro",)
    assert "roc_auc_macro" in compute(cell)["figures"]["own"]
    assert cells_of(table, methods=["LP"])[0].score_metrics == ()


def test_a_model_without_a_joint_only_knows_its_own_decision():
    from sklearn.neighbors import KNeighborsClassifier

    X, Y = np.arange(8.0)[:, None], np.eye(2, dtype=int)[np.arange(8) % 2]
    model = KNeighborsClassifier(1).fit(X, Y)
    np.testing.assert_array_equal(answer(model, X).sets["own"], Y)
    with pytest.raises(ValueError, match="no joint distribution"):
        answer(model, X, ("subset",))


def test_matched_sets_have_the_wanted_cardinality():
    scores = np.random.default_rng(3).normal(size=(40, 7))
    sets = match_cardinality(scores, 1.7)
    assert sets.sum() == round(1.7 * 40)
    assert scores[sets == 1].min() > scores[sets == 0].max()


def test_matched_figures_stand_beside_scores_where_labels_were_hidden(table):
    asked = replace(table, metrics=("roc_auc_macro",), published={}, reference="")
    cell = replace(cells_of(asked, methods=["LP"])[0], protocol=HiddenPositives(0.3, n_train=30))
    part = cell.protocol.part(cell.source, 0)
    figures = compute(cell)["figures"]["own"]
    assert 0 < figures["matched_f1_micro"] <= 1
    assert part.extra.sum() > part.train.Y.sum()
