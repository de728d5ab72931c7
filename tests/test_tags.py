"""Label sets as lists of tags, in and out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import MultiLabelBinarizer

from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    LabelPowerset,
    load,
    make_pipeline,
    split_tags,
)
from labelfield._gate.tags import holds_tags, read_tags, tags_as_sets
from labelfield.datasets import make_multilabel
from labelfield.model_selection import MultilabelStratifiedKFold

DATA = make_multilabel(n_samples=90, n_features=4, n_labels=3, random_state=0)
X, Y = DATA.X, DATA.Y.astype(int)
NAMES = ("fog", "rain", "snow")
TAGS = [tuple(name for name, one in zip(NAMES, row) if one) for row in Y]


@pytest.mark.parametrize("sep", [";", ",", " | ", "\t"])
def test_splitting_is_the_opposite_of_joining(sep):
    assert split_tags([sep.join(row) for row in TAGS], sep=sep) == TAGS
    assert split_tags(pd.Series([sep.join(row) for row in TAGS]), sep=sep) == TAGS


def test_blanks_and_gaps():
    assert split_tags(["  rain ;; fog", " "]) == [("rain", "fog"), ()]
    holed = ["rain", None, float("nan"), pd.NA]
    with pytest.raises(ValueError, match=r"values\[1\] is missing; say missing='empty'"):
        split_tags(holed)
    assert split_tags(holed, missing="empty") == [("rain",), (), (), ()]
    assert split_tags(holed, missing="unknown") == [("rain",), None, None, None]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"values": ["a", 3]}, r"values\[1\] is 3; give texts"),
        ({"values": ["a"], "sep": ""}, "sep='' must be"),
        ({"values": ["a"], "missing": "no"}, "missing='no' must be"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises(ValueError, match=words):
        split_tags(**arguments)


def test_the_same_matrix_as_by_the_binarizer():
    binarizer = MultiLabelBinarizer()
    expected = binarizer.fit_transform(TAGS)
    ones, names = read_tags(TAGS, "Y")
    np.testing.assert_array_equal(ones, expected)
    assert names == binarizer.classes_.tolist()
    np.testing.assert_array_equal(tags_as_sets(TAGS, ["snow", "fog", "rain"], "Y"), Y[:, [2, 0, 1]])


@pytest.mark.parametrize("Y", [Y, Y.tolist(), Y[:, 0], ["a", "b"], pd.DataFrame(Y), [], [[], []]])
def test_what_holds_no_tags(Y):
    assert not holds_tags(Y)


@pytest.mark.parametrize(
    "target",
    [
        TAGS,
        [list(row) for row in TAGS],
        pd.Series([list(row) for row in TAGS]),
        pd.DataFrame(Y, columns=NAMES),
        pd.DataFrame(Y == 1, columns=NAMES).astype(pd.SparseDtype(bool)),
    ],
    ids=["tuples", "lists", "Series", "frame", "sparse frame"],
)
def test_names_are_kept_and_answered(target, tmp_path):
    model = BinaryRelevance().fit(X, target)
    assert tuple(model.label_names_) == NAMES
    plain = BinaryRelevance().fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    expected = MultiLabelBinarizer(classes=NAMES).fit([NAMES]).inverse_transform(plain.predict(X))
    assert model.predict_names(X) == expected
    model.save(tmp_path / "model.lf")
    assert load(tmp_path / "model.lf").predict_names(X) == expected


def test_names_of_other_decisions_and_targets():
    model = LabelPowerset().fit(X, MultiLabelBinarizer(sparse_output=True).fit_transform(TAGS))
    sets = model.predict(X, decoder="f1").toarray()
    expected = [tuple(f"y{j}" for j in np.flatnonzero(row)) for row in sets]
    assert model.predict_names(X, decoder="f1") == expected
    one = BinaryRelevance().fit(X, np.array(["no", "yes"])[Y[:, 0]])
    assert one.predict_names(X) == [("y0",) if y == "yes" else () for y in one.predict(X)]


def test_tags_where_sets_are_asked_for():
    texts = [" ".join([*row, "today"]) for row in TAGS]
    inner = make_pipeline(TfidfVectorizer(), BinaryRelevance())
    model = CalibratedSetClassifier(inner, cv=2, calibrator="isotonic").fit(texts, TAGS)
    np.testing.assert_array_equal(model.confidence_of(texts, TAGS), model.confidence_of(texts, Y))
    for got, expected in zip(model.automation_curve(texts, TAGS), model.automation_curve(texts, Y)):
        np.testing.assert_array_equal(got, expected)
    with pytest.raises(ValueError, match="sets holds the tag 'hail', which is none of the 3"):
        model.confidence_of(texts[:1], [["hail"]])
    assert model.score(texts, TAGS) == model.score(texts, Y) > 0.9
    pipeline = inner.fit(texts, TAGS)
    assert pipeline.predict_names(texts[:3], decoder="f1") == TAGS[:3]


def test_folds_of_tags():
    folds = MultilabelStratifiedKFold(3)
    for got, expected in zip(folds.split(X, TAGS), folds.split(X, Y)):
        np.testing.assert_array_equal(got[1], expected[1])
