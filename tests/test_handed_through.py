"""X goes to an inner estimator as it came: texts, frames, missing values, sparse matrices."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn
from lightgbm import LGBMClassifier
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    ClassifierChain,
    ClassifierChainEnsemble,
    CliqueGeneratingMachine,
    ConditionalBernoulliMixture,
    ConditionalGraphicalLasso,
    CorrelatedLogistic,
    DependentRelevance,
    JointStacking,
    LabelCompletion,
    LabelPowerset,
    PairwiseCRF,
    ProbabilisticClassifierChain,
    RandomLabelsets,
    SetReranker,
    StackedRelevance,
    StructuredSVM,
    load,
    recover,
    save,
)

WORDS = ("apple", "bus", "cat", "the", "and")
rng = np.random.default_rng(0)
Y = (rng.random((60, 3)) < 0.4).astype(int)
COUNTS = np.column_stack([Y * rng.integers(0, 3, Y.shape), rng.integers(0, 3, (60, 2))])
TEXTS = [" ".join(np.repeat(WORDS, row)) for row in COUNTS]
FRAME = pd.DataFrame(
    {
        "note": TEXTS,
        "colour": pd.Categorical(np.where(Y[:, 0] ^ (rng.random(60) < 0.2), "red", "blue")),
        "day": [datetime(2020, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 50, 60)],
        "size": np.where(rng.random(60) < 0.3, np.nan, rng.normal(size=60) + Y[:, 1]),
    }
)
BASE = LogisticRegression(tol=1e-8)
MARGIN = {"alpha": 3.0, "cv": 2, "tol": 1e-6, "max_iter": 1000, "random_state": 0}
MIXTURE = {"n_components": 2, "init": "sets", "early_stopping": False, "max_iter": 2}

# models that are given a classifier of single labels, or of sets
MODELS = {
    "br": BinaryRelevance,
    "2br": lambda base: StackedRelevance(base, cv=2),
    "2br on probabilities": lambda base: StackedRelevance(base, cv=2, passthrough=False),
    "dbr": DependentRelevance,
    "lp": LabelPowerset,
    "rakel": lambda base: RandomLabelsets(base, set_size=2, random_state=0),
    "cc": ClassifierChain,
    "pcc": ProbabilisticClassifierChain,
    "ecc": lambda base: ClassifierChainEnsemble(base, n_chains=2, subsample=0.8, random_state=0),
    "cbm": lambda base: ConditionalBernoulliMixture(base, gate=base, **MIXTURE),
    "crf": lambda base: PairwiseCRF(BinaryRelevance(base), min_count=1, cv=2),
    "corrlog": lambda base: CorrelatedLogistic(BinaryRelevance(base), cv=2),
    "ssvm": lambda base: StructuredSVM(BinaryRelevance(base), **MARGIN),
    "cgm": lambda base: CliqueGeneratingMachine(BinaryRelevance(base), max_cliques=1, **MARGIN),
    "stack": lambda base: JointStacking(
        [("br", BinaryRelevance(base)), ("lp", LabelPowerset(base))], cv=2
    ),
    "completion": lambda base: LabelCompletion(BinaryRelevance(base), random_state=0),
    "calibrated": lambda base: CalibratedSetClassifier(
        LabelPowerset(base), cv=2, calibrator="isotonic"
    ),
    "rerank": lambda base: SetReranker(
        BinaryRelevance(base), cv=2, calibrator="isotonic", n_candidates=3
    ),
    "calibrated, learned thresholds": lambda base: CalibratedSetClassifier(
        BinaryRelevance(base), cv=2, calibrator="isotonic", decoder="threshold_f1_macro"
    ),
}
TEXT_KINDS = {
    "list": lambda: TEXTS,
    "tuple": lambda: tuple(TEXTS),
    "text array": lambda: np.array(TEXTS),
    "object array": lambda: np.array(TEXTS, dtype=object),
    "Series": lambda: pd.Series(TEXTS, index=np.arange(60)[::-1]),
    "polars Series": lambda: pl.Series(TEXTS),
}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=list(MODELS))


def text_pipeline(base):
    return make_pipeline(CountVectorizer(vocabulary=WORDS), base)


def days_since_2020(frame):
    return frame.to_numpy().astype("datetime64[D]").astype(float) - 18262


def frame_pipeline(base):
    columns = make_column_transformer(
        (CountVectorizer(vocabulary=WORDS), "note"),
        (OneHotEncoder(), ["colour"]),
        (FunctionTransformer(days_since_2020), ["day"]),
        ("passthrough", ["size"]),
    )
    return make_pipeline(columns, base)


def encoded_frame():
    return frame_pipeline("passthrough").fit_transform(FRAME)


@every_model
def test_texts_get_the_answer_of_their_vectors(make):
    expected = make(BASE).fit(COUNTS, Y)
    model = make(text_pipeline(BASE)).fit(TEXTS, Y)
    np.testing.assert_allclose(
        model.predict_proba(TEXTS[:20]), expected.predict_proba(COUNTS[:20]), atol=1e-4
    )
    np.testing.assert_array_equal(model.predict(TEXTS), expected.predict(COUNTS))
    assert not hasattr(model, "n_features_in_")


@every_model
def test_saved_with_what_is_inside(make, tmp_path):
    for base, features in ((BASE, COUNTS), (text_pipeline(BASE), TEXTS)):
        model = make(base).fit(features, Y)
        save(model, tmp_path / "model.lf")
        again = load(tmp_path / "model.lf")
        np.testing.assert_array_equal(again.predict_proba(features), model.predict_proba(features))


@pytest.mark.parametrize("kind", TEXT_KINDS)
@pytest.mark.parametrize("id", ["br", "pcc", "crf", "stack", "rerank"])
def test_every_kind_of_text_column(id, kind):
    texts = TEXT_KINDS[kind]()
    model = MODELS[id](text_pipeline(BASE)).fit(texts, Y)
    expected = MODELS[id](text_pipeline(BASE)).fit(TEXTS, Y)
    np.testing.assert_array_equal(model.predict_proba(texts), expected.predict_proba(TEXTS))


@every_model
def test_frames_with_texts_dates_categories_and_gaps(make):
    tree = DecisionTreeClassifier(min_samples_leaf=15, random_state=0)
    model = make(frame_pipeline(tree)).fit(FRAME, Y)
    expected = make(tree).fit(encoded_frame(), Y)
    np.testing.assert_allclose(
        model.predict_proba(FRAME), expected.predict_proba(encoded_frame()), atol=1e-6
    )
    assert list(model.feature_names_in_) == list(FRAME.columns)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(FRAME[["size", "colour", "day", "note"]])
    with pytest.raises(ValueError, match=r"missing:\n- size"):
        model.predict(FRAME.drop(columns="size"))
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- weight"):
        model.predict(FRAME.rename(columns={"size": "weight"}))


@every_model
def test_missing_values_reach_an_estimator_that_takes_them(make):
    X = np.where(rng.random(COUNTS.shape) < 0.2, np.nan, COUNTS)
    trees = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=5, early_stopping=False)
    model = make(trees)
    assert get_tags(model).input_tags.allow_nan
    np.testing.assert_array_equal(
        model.fit(X, Y).predict_proba(X),
        clone(model).fit(X.tolist(), Y).predict_proba(X.tolist()),
    )
    with pytest.raises(ValueError, match="contains NaN"):
        make(BASE).fit(X, Y)


@every_model
def test_sparse_matrices_stay_sparse(make):
    dense, sparse = make(BASE).fit(COUNTS, Y), make(BASE).fit(sp.coo_array(COUNTS), Y)
    np.testing.assert_allclose(
        sparse.predict_proba(sp.coo_array(COUNTS)), dense.predict_proba(COUNTS), atol=1e-3
    )


class Witness(ClassifierMixin, BaseEstimator):
    """Remembers of what types X was."""

    seen = set()  # noqa: RUF012

    def fit(self, X, y):
        self.seen.add(type(X))
        self.share_, self.classes_ = np.mean(y), np.unique(y)
        return self

    def predict_proba(self, X):
        self.seen.add(type(X))
        return np.tile([1.0 - self.share_, self.share_], (len(X), 1))

    def predict(self, X):
        return self.predict_proba(X)[:, 1] > 0.5


@pytest.mark.parametrize(
    "X",
    [TEXTS, np.array(TEXTS), FRAME, FRAME["note"], pl.DataFrame(FRAME), pa.table(dict(FRAME))],
    ids=lambda X: f"{type(X).__module__}.{type(X).__name__}",
)
@pytest.mark.parametrize("id", ["br", "rerank", "crf", "completion"])
def test_x_stays_what_it_is(id, X):
    Witness.seen.clear()
    model = MODELS[id](Witness()).fit(X, Y)
    model.predict(X)
    assert Witness.seen == {type(X)}


@pytest.mark.parametrize("convert", [lambda X: X, pl.from_pandas], ids=["pandas", "polars"])
@pytest.mark.parametrize("id", ["br", "pcc", "dbr", "2br"])
def test_labels_are_appended_to_frames(id, convert):
    """LightGBM reads the categories of a frame, and labels beside them where a model needs it."""
    frame = FRAME[["colour", "size"]].assign(label_0=COUNTS[:, 0]).set_index(np.arange(60) + 7)
    codes = frame.assign(colour=frame["colour"].cat.codes)
    trees = LGBMClassifier(n_estimators=3, min_child_samples=3, verbose=-1, n_jobs=1)
    named = clone(trees).set_params(min_data_per_group=1)
    X = convert(frame if convert is not pl.from_pandas else codes)
    model = MODELS[id](named).fit(X, Y)
    expected = MODELS[id](named).fit(codes.to_numpy(dtype=float), Y)
    got, wanted = model.predict_proba(X), expected.predict_proba(codes.to_numpy(dtype=float))
    np.testing.assert_allclose(got, wanted, atol=0.2)
    assert np.corrcoef(got.ravel(), wanted.ravel())[0, 1] > 0.95


def test_a_mixture_needs_a_gate_that_reads_x():
    with pytest.raises(ValueError, match="X holds text"):
        ConditionalBernoulliMixture(text_pipeline(BASE), **MIXTURE).fit(TEXTS, Y)


@pytest.mark.parametrize(
    "model",
    [
        BinaryRelevance(),
        PairwiseCRF(),
        ConditionalGraphicalLasso(BinaryRelevance(text_pipeline(BASE))),
        CalibratedSetClassifier(BinaryRelevance()),
    ],
)
def test_what_computes_on_x_asks_for_numbers(model):
    with pytest.raises(ValueError, match=r"X holds text.*text by TableEncoder in a pipeline"):
        model.fit(TEXTS, Y)


def test_a_chain_needs_columns_beside_its_labels():
    with pytest.raises(ValueError, match=r"X has no columns; give estimator as a pipeline"):
        ClassifierChain(Witness()).fit(TEXTS, Y)


def test_unknown_labels_with_texts():
    holed = np.where(rng.random(Y.shape) < 0.2, np.nan, Y)
    for id in ("br", "pcc", "dbr", "completion"):
        model = MODELS[id](text_pipeline(BASE)).fit(TEXTS, holed)
        assert (model.predict(TEXTS) == Y).mean() > 0.8
    found = recover(TEXTS, holed, BinaryRelevance(text_pipeline(BASE)))
    assert (found.labels == Y).mean() > 0.9


@pytest.mark.parametrize("id", ["br", "pcc", "lp", "rakel", "dbr", "stack"])
def test_weights_reach_the_last_step_of_a_pipeline(id):
    weight = rng.integers(0, 3, 60).astype(float)
    model = MODELS[id](text_pipeline(BASE)).fit(TEXTS, Y, sample_weight=weight)
    expected = MODELS[id](BASE).fit(COUNTS, Y, sample_weight=weight)
    np.testing.assert_allclose(
        model.predict_proba(TEXTS), expected.predict_proba(COUNTS), atol=1e-4
    )
    with sklearn.config_context(enable_metadata_routing=True):
        base = clone(BASE).set_fit_request(sample_weight=True)
        routed = MODELS[id](text_pipeline(base)).fit(TEXTS, Y, sample_weight=weight)
    np.testing.assert_allclose(routed.predict_proba(TEXTS), model.predict_proba(TEXTS))
    neighbours = text_pipeline(KNeighborsClassifier(5))
    with pytest.raises(ValueError, match="the fit of KNeighborsClassifier takes none"):
        MODELS[id](neighbours).fit(TEXTS, Y, sample_weight=weight)


def test_a_second_fit_forgets_the_columns_of_the_first():
    model = BinaryRelevance(BASE).fit(COUNTS, Y)
    assert model.n_features_in_ == 5
    model.set_params(estimator=text_pipeline(BASE)).fit(TEXTS, Y)
    assert not hasattr(model, "n_features_in_")
    model.predict(TEXTS)
    model.set_params(estimator=BASE).fit(COUNTS, Y)
    with pytest.raises(ValueError, match="does not contain any features"):
        model.predict(TEXTS)


def test_lists_that_are_no_table():
    """Token lists of any length, dicts and rows of mixed entries reach the estimator."""
    tokens = [text.split() for text in TEXTS]
    vectorizer = CountVectorizer(vocabulary=WORDS, analyzer=list)
    by_tokens = BinaryRelevance(make_pipeline(vectorizer, BASE)).fit(tokens, Y)
    expected = BinaryRelevance(BASE).fit(COUNTS, Y).predict_proba(COUNTS)
    np.testing.assert_allclose(by_tokens.predict_proba(tokens), expected, atol=1e-6)
    mixed = FRAME[["colour", "size"]].astype({"colour": str}).to_numpy().tolist()
    for X in (tokens, [{"a": 1.0}] * 60, mixed):
        Witness.seen.clear()
        BinaryRelevance(Witness()).fit(X, Y).predict(X)
        assert Witness.seen == {list}
