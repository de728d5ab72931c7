"""Odd and bad input gets the right answer or an error that names it, from every kind of model."""

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

from hostile.cases import MODELS, Refused, X, Y, check, clean_answer, clean_model, over, refused
from hostile.odd_arguments import DECODERS, MODEL_ARGUMENTS, ODD_ARGUMENTS
from hostile.odd_dense import BAD_X, GOOD_X
from hostile.odd_labels import BAD_Y, GOOD_Y, UNKNOWN_Y
from hostile.odd_measures import CALIBRATION, METRICS, SPLITS
from hostile.odd_questions import KNOWN, NEW_COLUMNS, NEW_ROWS, SETS, WEIGHTS, frame
from hostile.odd_sparse import SPARSE_X
from labelfield.registry import CLASSIFIERS

every_model = pytest.mark.parametrize("id", MODELS)
# float32 cannot reach the tolerance of the tests, and says so
honest = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def fit_and_ask(id, features, labels, **options):
    return clone(MODELS[id]).fit(features, labels, **options).predict_proba(features)


@honest
@every_model
@over(sparse=SPARSE_X, dense=GOOD_X | BAD_X)
def test_features(id, make, wants):
    def of_clean(features):
        return clean_answer(id) if features is None else fit_and_ask(id, features, Y)

    check(wants, lambda: fit_and_ask(id, make(), Y), of_clean)


# the gate of a mixture takes plain steps, which a shift makes short
@pytest.mark.parametrize("id", [id for id in MODELS if id != "cbm"])
def test_a_shift_of_the_features(id):
    shifted = X + 1e8
    expected = fit_and_ask(id, shifted - 1e8, Y)  # without the digits that the shift has cost
    np.testing.assert_allclose(fit_and_ask(id, shifted, Y), expected, atol=1e-3)


@every_model
@over(labels=GOOD_Y | BAD_Y)
def test_labels(id, make, wants):
    def of_clean(labels):
        return clean_answer(id) if labels is None else fit_and_ask(id, X, labels)

    check(wants, lambda: fit_and_ask(id, X, make()), of_clean)


@every_model
@over(unknown=UNKNOWN_Y)
def test_unknown_labels(id, make, wants):
    if not MODELS[id]._accepts_unknown:
        wants = refused("Y holds NaN .* cannot learn from")
    check(wants, lambda: fit_and_ask(id, X, make()), lambda labels: fit_and_ask(id, X, labels))


def check_read_or_refused(model, make):
    """A model that reads tables finds dates, text and gaps in some of the bad input, no numbers."""
    answer, message = np.zeros(1), "X"
    try:
        answer = model.fit(make(), Y).predict_proba(make())
    except (TypeError, ValueError) as error:
        message = str(error)
    assert re.search(r"\bX\b|Found array|2D array|Complex", message), message
    assert np.isfinite(answer).all()


@pytest.mark.parametrize("id", CLASSIFIERS)
def test_every_model_of_the_registry_has_the_gate(id):
    model = CLASSIFIERS[id].make_tiny()
    reads_tables = get_tags(model).input_tags.string
    for make, wants in (SPARSE_X | BAD_X).values():
        if reads_tables:
            check_read_or_refused(model, make)
        elif isinstance(wants, Refused):
            check(wants, lambda: model.fit(make(), Y), None)  # noqa: B023
    for make, wants in BAD_Y.values():
        check(wants, lambda: model.fit(X, make()), None)  # noqa: B023


@pytest.mark.parametrize("id", ["br", "lp", "pcc"])
@over(weights=WEIGHTS)
def test_weights(id, make, wants):
    check(
        wants,
        lambda: fit_and_ask(id, X, Y, sample_weight=make()),
        lambda weights: clean_answer(id),
    )


@every_model
@over(rows=NEW_ROWS)
def test_new_rows(id, make, wants):
    def ask(rows):
        return clean_model(id).predict_proba(X if rows is None else rows)

    check(wants, lambda: clean_model(id).predict_proba(make()), ask)


@every_model
@over(columns=NEW_COLUMNS)
def test_new_columns(id, make, wants):
    model = clone(MODELS[id]).fit(frame(), Y)
    check(wants, lambda: model.predict_proba(make()), lambda rows: clean_answer(id))


@pytest.mark.parametrize("id", ["br", "pcc", "corrlog"])
@over(known=KNOWN)
def test_known_labels(id, make, wants):
    ask = clean_model(id).predict_given
    check(wants, lambda: ask(X, make()), lambda known: ask(X, known))


@over(sets=SETS)
def test_confidence_of_sets(make, wants):
    ask = clean_model("calibrated").confidence_of
    check(wants, lambda: ask(X, make()), lambda sets: ask(X, sets))


@over(arguments=MODEL_ARGUMENTS)
def test_arguments(make, wants):
    check(wants, lambda: make().fit(X, Y), None)


@over(arguments=ODD_ARGUMENTS)
def test_odd_arguments_with_an_answer(make, wants):
    def ask(model):
        return model.fit(X, Y).predict_proba(X)

    check(wants, lambda: ask(make()), ask)


@over(decoders=DECODERS)
def test_decoders_of_predict(make, wants):
    check(wants, lambda: clean_model("br").predict(X, decoder=make), None)


@over(metrics=METRICS, splits=SPLITS, calibration=CALIBRATION)
def test_calls(make, wants):
    check(wants, make, lambda value: value)


def test_there_are_many_kinds_of_input():
    kinds = [SPARSE_X, GOOD_X, BAD_X, GOOD_Y, BAD_Y, UNKNOWN_Y, WEIGHTS, NEW_ROWS, NEW_COLUMNS]
    kinds += [KNOWN, SETS, MODEL_ARGUMENTS, ODD_ARGUMENTS, DECODERS, METRICS, SPLITS, CALIBRATION]
    assert sum(map(len, kinds)) >= 400
