"""What models answer before anybody sets anything."""

import inspect

import numpy as np
import pytest

from labelfield import BinaryRelevance, registry


def notes(n=150, n_labels=8, seed=0):
    """Every row has a label, and mostly none is likelier than not."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_labels, size=n)
    X = rng.normal(size=(n, 5)) + 0.5 * rng.normal(size=(n_labels, 5))[codes]
    Y = np.eye(n_labels, dtype=int)[codes]
    Y[::7, 0] = 1
    return X, Y


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("id", list(registry.CLASSIFIERS))
def test_no_row_is_answered_by_nothing_where_training_never_was(id):
    X, Y = notes()
    model = registry.get(id).make_tiny()
    if "tol" in model.get_params():
        model.set_params(tol=0.01)
    assert model.fit(X[:100], Y[:100]).predict(X[100:]).any(axis=1).all()


@pytest.mark.parametrize("id", list(registry.CLASSIFIERS))
def test_decisions_are_for_whole_sets_by_default(id):
    decoder = inspect.signature(registry.get(id).load()).parameters.get("decoder")
    assert decoder is None or decoder.default in ("subset", None)


def test_probabilities_alone_would_answer_nothing():
    X, Y = notes()
    model = BinaryRelevance().fit(X[:100], Y[:100])
    empty = ~model.predict(X[100:], decoder="hamming").any(axis=1)
    assert empty.mean() > 0.5


def test_default_answer_is_the_rounded_one_where_that_is_not_empty():
    X, Y = notes()
    model = BinaryRelevance(alpha=0.01).fit(X[:100], Y[:100])
    rounded, answered = model.predict(X[100:], decoder="hamming"), model.predict(X[100:])
    filled = rounded.any(axis=1)
    assert 0 < filled.sum() < len(filled)
    np.testing.assert_array_equal(answered[filled], rounded[filled])
    likeliest = model.predict_proba(X[100:]).argmax(axis=1)
    np.testing.assert_array_equal(answered[~filled], np.eye(8, dtype=int)[likeliest[~filled]])
