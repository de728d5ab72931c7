"""Jobs with tables of features."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from lightgbm import LGBMClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline as plain_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from jobs.data import FRAME, TEXTS, X, Y, share_right
from jobs.job import job
from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    JointStacking,
    LabelPowerset,
    PairwiseCRF,
    TableEncoder,
    make_pipeline,
)

TOPIC = "Tables"
COLUMNS = ["a", "b", "c", "d"]


def days(frame):
    return frame.to_numpy().astype("datetime64[D]").astype(float) - 19723


def columns():
    return make_column_transformer(
        (TfidfVectorizer(), "report"),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include="category")),
        (FunctionTransformer(days), ["day"]),
        (plain_pipeline(SimpleImputer(), StandardScaler()), ["warmth"]),
    )


@job(TOPIC, "text, categories, dates and gaps", "make_pipeline(ColumnTransformer(...), model)")
def mixed_columns():
    model = make_pipeline(columns(), BinaryRelevance()).fit(FRAME, Y)
    assert share_right(model.predict(FRAME)) > 0.85


@job(TOPIC, "the same without a plan", "make_pipeline(TableEncoder(), model).fit(frame, tags)")
def table_encoder():
    model = make_pipeline(TableEncoder(), BinaryRelevance()).fit(FRAME, Y)
    assert share_right(model.predict(FRAME)) > 0.85


@job(TOPIC, "missing numbers", "BinaryRelevance(HistGradientBoostingClassifier())")
def missing_numbers():
    trees = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=5, early_stopping=False)
    model = BinaryRelevance(trees).fit(FRAME[["warmth"]], Y)
    assert share_right(model.predict(FRAME[["warmth"]])[:, 2], Y[:, 2]) > 0.7


@job(TOPIC, "categories as they are", "BinaryRelevance(LGBMClassifier())")
def categories():
    trees = LGBMClassifier(n_estimators=20, min_child_samples=3, verbose=-1, n_jobs=1)
    model = BinaryRelevance(trees).fit(FRAME[["place", "warmth"]], Y)
    assert share_right(model.predict(FRAME[["place", "warmth"]])[:, 2], Y[:, 2]) > 0.9


@job(TOPIC, "a field on trees that read categories", "PairwiseCRF(LGBMClassifier())")
def field_on_trees():
    trees = LGBMClassifier(n_estimators=20, min_child_samples=3, verbose=-1, n_jobs=1)
    model = PairwiseCRF(trees, min_count=1, cv=2).fit(FRAME[["place", "warmth"]], Y)
    assert share_right(model.predict(FRAME[["place", "warmth"]])[:, 2], Y[:, 2]) > 0.9


@job(TOPIC, "data frames of polars and arrow", "model.fit(polars.DataFrame(...), Y)")
def other_frames():
    expected = BinaryRelevance().fit(X, Y).predict_proba(X)
    for frame in (pl.DataFrame(X, schema=COLUMNS), pa.table(dict(zip(COLUMNS, X.T.copy())))):
        model = BinaryRelevance().fit(frame, Y)
        np.testing.assert_allclose(model.predict_proba(frame), expected)
        assert list(model.feature_names_in_) == COLUMNS


@job(TOPIC, "a polars frame inside a pipeline", "make_pipeline(ColumnTransformer(...), model)")
def polars_inside():
    frame = pl.from_pandas(FRAME[["report", "warmth"]])
    chosen = make_column_transformer((TfidfVectorizer(), "report"), (SimpleImputer(), ["warmth"]))
    model = CalibratedSetClassifier(make_pipeline(chosen, BinaryRelevance()), cv=2).fit(frame, Y)
    assert model.predict_confidence(frame).shape == (90,)


@job(TOPIC, "sparse matrices", "model.fit(scipy.sparse.csr_array(X), Y)")
def sparse_matrices():
    vectors = TfidfVectorizer().fit_transform(TEXTS)
    dense = BinaryRelevance().fit(vectors.toarray(), Y).predict_proba(vectors.toarray())
    for matrix in (vectors, sp.csc_array(vectors), sp.coo_array(vectors)):
        np.testing.assert_allclose(
            BinaryRelevance().fit(matrix, Y).predict_proba(matrix), dense, atol=1e-4
        )


@job(TOPIC, "be told of changed columns", "model.predict(frame.drop(columns='b'))")
def changed_columns():
    frame = pd.DataFrame(X, columns=COLUMNS)
    for model in (BinaryRelevance(), BinaryRelevance(RandomForestClassifier(5, random_state=0))):
        model.fit(frame, Y)
        with pytest.raises(ValueError, match=r"missing:\n- b"):
            model.predict(frame.drop(columns="b"))
        with pytest.raises(ValueError, match=r"unseen at fit time:\n- z"):
            model.predict(frame.rename(columns={"b": "z"}))
        with pytest.raises(ValueError, match="same order"):
            model.predict(frame[["b", "a", "c", "d"]])


@job(TOPIC, "columns that stay data frames", "StandardScaler().set_output(transform='pandas')")
def set_output():
    scaler = StandardScaler().set_output(transform="pandas")
    model = make_pipeline(scaler, BinaryRelevance()).fit(pd.DataFrame(X, columns=COLUMNS), Y)
    assert list(model[-1].feature_names_in_) == COLUMNS


@job(TOPIC, "a classifier of many labels from scikit-learn", "CalibratedSetClassifier(forest)")
def foreign_classifier():
    forest = RandomForestClassifier(20, random_state=0)
    model = CalibratedSetClassifier(forest, cv=2, calibrator="isotonic").fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), forest.fit(X, Y).predict(X))
    assert model.predict_confidence(X).std() > 0.0


@job(TOPIC, "a support vector machine without probabilities", "BinaryRelevance(LinearSVC())")
def support_vectors():
    model = BinaryRelevance(LinearSVC()).fit(X, Y)
    expected = [LinearSVC().fit(X, y).predict(X) for y in Y.T]
    np.testing.assert_array_equal(model.predict(X), np.column_stack(expected))


@job(TOPIC, "a calibrated classifier per label", "BinaryRelevance(CalibratedClassifierCV(svm))")
def calibrated_labels():
    inner = CalibratedClassifierCV(LinearSVC(), cv=3)
    model = BinaryRelevance(inner).fit(X, Y)
    expected = [inner.fit(X, y).predict_proba(X)[:, 1] for y in Y.T]
    np.testing.assert_allclose(model.predict_proba(X), np.column_stack(expected), atol=1e-9)


@job(TOPIC, "pool a text model and a table model", "JointStacking([('text', a), ('table', b)])")
def pool_of_views():
    text = make_column_transformer((TfidfVectorizer(), "report"))
    place = make_column_transformer((OneHotEncoder(), ["place"]))
    members = [
        ("text", make_pipeline(text, BinaryRelevance())),
        ("table", make_pipeline(place, LabelPowerset())),
    ]
    model = JointStacking(members, cv=2).fit(FRAME, Y)
    assert abs(sum(model.weights_.values()) - 1.0) < 1e-9
    assert share_right(model.predict(FRAME)) > 0.85
