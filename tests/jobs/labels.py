"""Jobs with kinds of targets."""

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from sklearn.preprocessing import MultiLabelBinarizer

from jobs.data import CELLS, NAMES, TAGS, X, Y, share_right
from jobs.job import job
from labelfield import BinaryRelevance, PairwiseCRF, split_tags

TOPIC = "Labels"
EXPECTED = BinaryRelevance(alpha=1.0).fit(X, Y).predict_proba(X)


def check_target(target, names=NAMES):
    model = BinaryRelevance(alpha=1.0).fit(X, target)
    np.testing.assert_allclose(model.predict_proba(X), EXPECTED)
    assert tuple(model.label_names_) == tuple(names)


@job(TOPIC, "a list of tags per row", "model.fit(X, [['rain', 'fog'], [], ['snow']])")
def lists_of_tags():
    for target in (TAGS, [list(row) for row in TAGS], [set(row) for row in TAGS], pd.Series(TAGS)):
        check_target(target)


@job(TOPIC, "tags with a separator", "model.fit(X, split_tags(frame['codes'], sep=';'))")
def tags_with_a_separator():
    check_target(split_tags(pd.Series(CELLS), sep=";"))


@job(TOPIC, "the same, split by fit", "model.fit(X, frame['codes'])")
def joined_tags():
    for target in (CELLS, pd.Series(CELLS), pl.Series(CELLS)):
        check_target(target)


@job(TOPIC, "cells without tags", "split_tags(codes, missing='empty')")
def cells_without_tags():
    holed = [cell or None for cell in CELLS]
    check_target(split_tags(holed, missing="empty"))


@job(TOPIC, "rows whose tags are not known", "split_tags(codes, missing='unknown')")
def rows_without_tags():
    holed = [None, *CELLS[1:]]
    model = BinaryRelevance(alpha=1.0).fit(X, split_tags(holed, missing="unknown"))
    without = BinaryRelevance(alpha=1.0).fit(X[1:], Y[1:])
    np.testing.assert_allclose(model.predict_proba(X), without.predict_proba(X), atol=1e-4)


@job(TOPIC, "single labels that are not known", "model.fit(X, Y_with_nan)")
def unknown_labels():
    holed = np.where(np.arange(Y.size).reshape(Y.shape) % 5 == 0, np.nan, Y)
    assert share_right(PairwiseCRF(min_count=1).fit(X, holed).predict(X)) > 0.9


@job(TOPIC, "the output of MultiLabelBinarizer", "MultiLabelBinarizer().fit_transform(tags)")
def binarizer():
    numbers = [f"y{j}" for j in range(3)]
    check_target(MultiLabelBinarizer().fit_transform(TAGS), numbers)
    check_target(MultiLabelBinarizer(sparse_output=True).fit_transform(TAGS), numbers)


@job(TOPIC, "a data frame of pandas or polars", "model.fit(X, pandas.DataFrame(Y, columns=names))")
def frames():
    check_target(pd.DataFrame(Y, columns=NAMES))
    check_target(pd.DataFrame(Y == 1, columns=NAMES))
    check_target(pl.DataFrame(Y, schema=list(NAMES)))


@job(TOPIC, "sparse in, sparse out", "model.fit(X, csr_matrix(Y)).predict(X)")
def sparse_labels():
    answer = BinaryRelevance(alpha=1.0).fit(X, sp.csr_matrix(Y)).predict(X)
    assert sp.issparse(answer)
    np.testing.assert_array_equal(answer.toarray(), BinaryRelevance(alpha=1.0).fit(X, Y).predict(X))


@job(TOPIC, "one label of two words", "model.fit(X, ['no', 'yes', ...])")
def one_label():
    words = np.array(["no", "yes"])[Y[:, 1]]
    model = BinaryRelevance(alpha=1.0).fit(X, words)
    assert set(model.predict(X)) == {"no", "yes"}
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], EXPECTED[:, 1], atol=1e-4)


@job(TOPIC, "a label that never occurs", "model.fit(X, Y_with_an_empty_column)")
def constant_label():
    model = BinaryRelevance(alpha=1.0).fit(X, np.column_stack([Y, np.zeros(len(Y), int)]))
    assert not model.predict(X)[:, 3].any()
