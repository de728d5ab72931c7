"""What a model promises that hands X to a classifier inside it."""

import numpy as np
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from labelfield.checks.contract import _quiet_fit, _raises, _tiny_data

WORDS = ("apple", "bus", "cat", "the", "and")


def check_text_pipeline_inside(estimator):
    """A pipeline inside reads texts, and the answers are those to its vectors."""
    counts, Y = _tiny_counts()
    texts = [" ".join(np.repeat(WORDS, row)) for row in counts]
    words = CountVectorizer(vocabulary=WORDS)
    _check_pipeline_inside(estimator, words, texts, Y)


def check_frame_pipeline_inside(estimator):
    """A pipeline inside reads the texts, categories and numbers of a data frame."""
    import pandas as pd

    counts, Y = _tiny_counts()
    frame = pd.DataFrame(
        {
            "note": [" ".join(np.repeat(WORDS[:3], row[:3])) for row in counts],
            "kind": pd.Categorical(np.take(WORDS, counts[:, 3])),
            "size": np.where(counts[:, 4] > 1, np.nan, counts[:, 4]),
        }
    )
    columns = make_column_transformer(
        (CountVectorizer(vocabulary=WORDS[:3]), "note"),
        (OneHotEncoder(categories=[list(WORDS)]), ["kind"]),
        ("passthrough", ["size"]),
    )
    _check_pipeline_inside(estimator, columns, frame, Y)


def check_missing_values_inside(estimator):
    """A classifier inside that takes NaN gets it."""
    X, Y = _tiny_data()
    X[::4, 1] = np.nan
    trees = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5, early_stopping=False)
    model = _with_inner(estimator, trees)
    if model is None and not _reads_tables(estimator):
        _raises(ValueError, lambda: clone(estimator).fit(X, Y), "NaN")
        return
    model = estimator if model is None else model
    proba = _quiet_fit(model, X, Y).predict_proba(X)
    assert np.isfinite(proba).all()
    assert proba.std() > 0.0, "every probability is the same"


def check_categories_inside(estimator):
    """LightGBM inside reads the categories of a data frame, whatever they are called."""
    import pandas as pd
    from lightgbm import LGBMClassifier

    counts, Y = _tiny_counts()
    trees = LGBMClassifier(n_estimators=5, min_child_samples=3, verbose=-1, n_jobs=1)
    model = _with_inner(estimator, trees)
    answers = []
    for names in ([0, 1, 2], ["red", "green", "blue"]):
        codes = {
            f"c{j}": pd.Categorical.from_codes(column, names) for j, column in enumerate(counts.T)
        }
        frame = pd.DataFrame(codes)
        if model is not None or _reads_tables(estimator):
            model = estimator if model is None else model
            answers.append(_quiet_fit(model, frame, Y).predict_proba(frame))
    if model is None:
        _raises(ValueError, lambda: clone(estimator).fit(frame, Y), "c0", "text")
        return
    np.testing.assert_allclose(*answers, atol=1e-6)  # the columns may be in another order
    assert answers[0].std() > 0.0, "every probability is the same"


def _tiny_counts():
    X, Y = _tiny_data()
    return np.clip(np.round(X + 1.0), 0, 2).astype(int), Y


def _check_pipeline_inside(estimator, encoder, X, Y):
    tree = DecisionTreeClassifier(min_samples_leaf=10, random_state=0)
    if _reads_tables(estimator):
        assert _quiet_fit(estimator, X, Y).predict_proba(X).std() > 0.0
        return
    model = _with_inner(estimator, make_pipeline(encoder, tree))
    if model is None:
        _raises(ValueError, lambda: clone(estimator).fit(X, Y), "text")
        return
    encoded = clone(encoder).fit_transform(X)
    expected = _quiet_fit(_with_inner(estimator, tree), encoded, Y).predict_proba(encoded)
    fitted = _quiet_fit(model, X, Y)
    np.testing.assert_allclose(fitted.predict_proba(X), expected, atol=1e-6)
    fitted.predict(X)


def _reads_tables(estimator):
    """Tell whether the model itself encodes text and tables, with no classifier inside."""
    return not estimator._inner_estimators() and get_tags(estimator).input_tags.string


def _with_inner(estimator, classifier):
    """Return the model around another classifier; None where it computes on X itself."""
    model = clone(estimator)
    params = model.get_params(deep=False)
    if "estimators" in params:
        members = [(name, _with_inner(m, classifier)) for name, m in params["estimators"]]
        return model.set_params(estimators=members)
    if hasattr(params.get("estimator"), "predict_joint"):
        return model.set_params(estimator=_with_inner(params["estimator"], classifier))
    given = {name: classifier for name in ("estimator", "gate") if name in params}
    model.set_params(**given)
    return model if model._inner_estimators() else None
