"""Jobs with documents."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline as plain_pipeline
from sklearn.pipeline import make_union

from jobs.data import NAMES, TAGS, TEST, TEXTS, TRAIN, Y, share_right
from jobs.job import job
from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    LabelCompletion,
    LabelPowerset,
    PairwiseCRF,
    ProbabilisticClassifierChain,
    load,
    make_pipeline,
    recover,
    save,
)

TOPIC = "Documents"


def tagger(model=None):
    return make_pipeline(TfidfVectorizer(), BinaryRelevance(alpha=0.1) if model is None else model)


@job(TOPIC, "tag documents", "make_pipeline(TfidfVectorizer(), BinaryRelevance()).fit(texts, tags)")
def tag_documents():
    model = tagger().fit(TEXTS[TRAIN], TAGS[TRAIN])
    assert model.score(TEXTS[TEST], TAGS[TEST]) > 0.8


@job(TOPIC, "get names back", "model.predict_names(texts)")
def get_names_back():
    names = tagger().fit(TEXTS, TAGS).predict_names(TEXTS)
    assert np.mean([ours == theirs for ours, theirs in zip(names, TAGS)]) > 0.8


@job(TOPIC, "texts as an array or a Series", "model.fit(frame['report'], tags)")
def other_containers():
    expected = tagger().fit(TEXTS, Y).predict_proba(TEXTS)
    for texts in (
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        pd.Series(TEXTS),
        pl.Series(TEXTS),
    ):
        np.testing.assert_allclose(tagger().fit(texts, Y).predict_proba(texts), expected)


@job(TOPIC, "words and characters together", "make_pipeline(make_union(words, characters), model)")
def words_and_characters():
    union = make_union(TfidfVectorizer(), TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)))
    model = make_pipeline(union, BinaryRelevance()).fit(TEXTS[TRAIN], Y[TRAIN])
    assert share_right(model.predict(TEXTS[TEST]), Y[TEST]) > 0.8


@job(TOPIC, "a pipeline of scikit-learn per label", "BinaryRelevance(sklearn_pipeline)")
def pipeline_per_label():
    inner = plain_pipeline(TfidfVectorizer(), LogisticRegression(C=10.0))
    model = BinaryRelevance(inner).fit(TEXTS[TRAIN], Y[TRAIN])
    assert share_right(model.predict(TEXTS[TEST]), Y[TEST]) > 0.8


@job(TOPIC, "a chain on texts", "ProbabilisticClassifierChain(sklearn_pipeline)")
def chain_on_texts():
    inner = plain_pipeline(TfidfVectorizer(), LogisticRegression(C=10.0))
    model = ProbabilisticClassifierChain(inner).fit(TEXTS, Y)
    assert not (model.predict(TEXTS)[:, 0] > model.predict(TEXTS)[:, 1]).any()  # fog needs rain


@job(TOPIC, "a field on a text model", "PairwiseCRF(make_pipeline(TfidfVectorizer(), model))")
def field_on_texts():
    model = PairwiseCRF(tagger(), min_count=1, cv=2).fit(TEXTS, Y)
    assert share_right(model.predict(TEXTS)) > 0.9


@job(TOPIC, "documents that are token lists", "CountVectorizer(analyzer=list)")
def token_lists():
    tokens = [text.split() for text in TEXTS]
    model = make_pipeline(CountVectorizer(analyzer=list), BinaryRelevance())
    assert share_right(model.fit(tokens, Y).predict(tokens)) > 0.9


@job(TOPIC, "whole sets with their probabilities", "model.predict_joint(texts).top_k(3)")
def whole_sets():
    sets, log_prob = tagger(LabelPowerset()).fit(TEXTS, Y).predict_joint(TEXTS).top_k(3)
    assert sets.shape == (90, 3, 3)
    assert (np.diff(log_prob, axis=1) <= 0).all()


@job(TOPIC, "decide for another metric", "model.predict(texts, decoder='f1')")
def another_metric():
    model = tagger().fit(TEXTS, Y)
    marginals = model.predict_proba(TEXTS)
    np.testing.assert_array_equal(model.predict(TEXTS, decoder="hamming"), marginals > 0.5)
    assert model.predict(TEXTS, decoder="f1").sum() >= model.predict(TEXTS).sum()


@job(TOPIC, "tell sure answers from unsure ones", "CalibratedSetClassifier(pipeline).route(texts)")
def route_documents():
    model = CalibratedSetClassifier(tagger(), cv=2, calibrator="isotonic").fit(TEXTS, TAGS)
    route = model.route(TEXTS, accuracy=0.7)
    assert route.accept.any()
    assert (model.predict(TEXTS) == Y).all(axis=1)[route.accept].mean() >= 0.7
    assert model.automation_curve(TEXTS, TAGS)[0].max() == 1.0


@job(TOPIC, "use tags that are known already", "model.predict_given(texts, known)")
def known_tags():
    model = tagger(LabelPowerset()).fit(TEXTS, Y)
    known = np.full(Y.shape, np.nan)
    known[:, 1] = 0.0  # no rain, so no fog
    assert model.predict_given(TEXTS, known)[:, 0].mean() < model.predict_proba(TEXTS)[:, 0].mean()


@job(TOPIC, "find forgotten and wrong tags", "recover(texts, tags, pipeline)")
def find_wrong_tags():
    wrong = Y.copy()
    wrong[5, 2] = 1 - wrong[5, 2]
    found = recover(TEXTS, wrong, tagger())
    assert found.suspects(1)[0].row == 5


@job(TOPIC, "documents of which some tags are not known", "LabelCompletion(pipeline).fit(texts, Y)")
def unknown_tags():
    holed = Y.astype(float)
    holed[::4, 1] = np.nan
    model = LabelCompletion(tagger(LabelPowerset()), random_state=0).fit(TEXTS, holed)
    assert share_right(model.predict(TEXTS)) > 0.85


@job(TOPIC, "see which words speak for a tag", "model.explain(texts)")
def explain_a_decision():
    why = tagger().fit(TEXTS, TAGS).explain(["wet and dim"])[0]
    best = {reason.label: max(reason.features, key=lambda pair: pair[1]) for reason in why.reasons}
    assert set(best) == set(NAMES)
    assert best["fog"][0] == "dim"


@job(TOPIC, "save and load the whole", "save(pipeline, path); load(path)")
def save_and_load():
    model = tagger().fit(TEXTS, TAGS)
    with tempfile.TemporaryDirectory() as folder:
        save(model, Path(folder, "model.lf"))
        again = load(Path(folder, "model.lf"))
    assert again.predict_names(TEXTS) == model.predict_names(TEXTS)


@job(TOPIC, "search vectoriser and model together", "GridSearchCV(pipeline, grid)")
def search():
    grid = {"tfidfvectorizer__ngram_range": [(1, 1), (1, 2)], "binaryrelevance__alpha": [0.1, 10.0]}
    found = GridSearchCV(tagger(), grid, scoring="f1_micro", cv=3, error_score="raise").fit(
        TEXTS, Y
    )
    assert found.best_params_["binaryrelevance__alpha"] == 0.1
    assert found.best_estimator_.predict_joint(TEXTS[:2]).n_labels == 3
