"""What the tables of odd input share: clean data, models, and what a row of a table must get.

A table maps the name of a kind of input to a function that makes it and to what it must get:
`refused(words)` for an error with these words, `same()` for the answers to clean data.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    ConditionalBernoulliMixture,
    CorrelatedLogistic,
    InstanceBasedLogistic,
    LabelPowerset,
    MLkNN,
    ProbabilisticClassifierChain,
)
from labelfield.datasets import make_multilabel

DATA = make_multilabel(n_samples=60, n_features=4, n_labels=3, coupling=2.0, random_state=0)
X, Y = DATA.X, DATA.Y.astype(int)
UNKNOWN = np.arange(Y.size).reshape(Y.shape) % 7 == 0
HOLED = np.where(UNKNOWN, np.nan, Y)
TIGHT = {"tol": 1e-9}  # so that equal problems give equal answers to many digits
MODELS = {
    "br": BinaryRelevance(**TIGHT),
    "lp": LabelPowerset(**TIGHT),
    "pcc": ProbabilisticClassifierChain(**TIGHT),
    "mlknn": MLkNN(n_neighbors=5),
    "iblr": InstanceBasedLogistic(n_neighbors=5, **TIGHT),
    "corrlog": CorrelatedLogistic(alpha=0.1, tol=1e-5),
    "cbm": ConditionalBernoulliMixture(
        n_components=2, init="sets", early_stopping=False, max_iter=1
    ),
    "calibrated": CalibratedSetClassifier(BinaryRelevance(**TIGHT), cv=2, calibrator="isotonic"),
}


@dataclass(frozen=True)
class Refused:
    """An error of one type whose message holds some words."""

    words: str
    error: type[Exception]


@dataclass(frozen=True)
class Same:
    """The answers that clean data get; None for the data of this module."""

    clean: Callable[[], Any] | None
    atol: float


def refused(words, error=ValueError):
    """Demand an error; the words are a regular expression."""
    return Refused(words, error)


def same(clean=None, atol=1e-6):
    """Demand the answers to the data that `clean` makes, by default to the clean data."""
    return Same(clean, atol)


def over(**tables):
    """Run a test over the rows of some tables, as its arguments `make` and `wants`."""
    rows = {f"{topic}: {name}": row for topic, rows in tables.items() for name, row in rows.items()}
    return pytest.mark.parametrize(("make", "wants"), rows.values(), ids=list(rows))


@cache
def clean_model(id):
    """Return a model fitted to the clean data."""
    return clone(MODELS[id]).fit(X, Y)


@cache
def clean_answer(id):
    """Return the probabilities that clean data get."""
    return clean_model(id).predict_proba(X)


def check(wants, answer, clean_answer_to):
    """Run `answer()` and compare what it does with what is wanted.

    `clean_answer_to` gives the answer to clean data, or to the default ones for None.
    """
    if isinstance(wants, Refused):
        with pytest.raises(wants.error, match=wants.words):
            answer()
        return
    expected = clean_answer_to(None if wants.clean is None else wants.clean())
    got = answer()
    assert not np.isnan(expected).any()
    np.testing.assert_allclose(got, expected, atol=wants.atol)
