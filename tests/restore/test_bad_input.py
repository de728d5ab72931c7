"""Input that is wrong, or merely strange: a clear error or the right answer."""

import re
from datetime import time

import numpy as np
import pandas as pd
import polars as pl
import pytest

from labelfield.registry import RESTORERS
from labelfield.restore import MixedTable, RandomMixedField
from restorer_contract import RestorerContract
from small_tables import clean_frame


class TestRestorers(RestorerContract):
    @pytest.fixture(
        params=[
            *(entry.make_tiny() for entry in RESTORERS.values()),
            RandomMixedField(alpha=0.02, noise_scale=0.1, flip_rate=0.1),
        ],
        ids=str,
    )
    def restorer(self, request):
        return request.param


@pytest.fixture(scope="module")
def clean():
    return clean_frame(80).assign(constant=7, same="x")


def test_an_unseen_category_can_be_restored(clean):
    model = RandomMixedField(alpha=0.02, handle_unknown="missing").fit(clean)
    dirty = clean.head(3).assign(colour=["red", "mauve", "blue"])
    dirty["colour"] = dirty["colour"].where([False, True, False], clean["colour"])
    result = model.restore(dirty)
    assert result.table["colour"].tolist() == clean["colour"].head(3).tolist()
    first = result.changes(1)[0]
    assert (first.row, first.before, first.surprise) == (1, "mauve", np.inf)


def test_a_training_column_without_a_single_value_is_an_error(clean):
    with pytest.raises(ValueError, match="'height' has no value at all"):
        RandomMixedField().fit(clean.assign(height=np.nan))


def test_text_among_numbers_in_training(clean):
    mixed = clean.astype({"height": object})
    mixed.loc[3, "height"] = "n/a"
    with pytest.raises(ValueError, match="'height' mixes text such as 'n/a'"):
        RandomMixedField().fit(mixed)
    with pytest.raises(ValueError, match="'height' is numeric, but row 3"):
        RandomMixedField(categorical=["colour", "tall", "size", "same"]).fit(mixed)


def test_infinity_is_refused_in_training(clean):
    with pytest.raises(ValueError, match="'height' contains infinity in row 1"):
        RandomMixedField().fit(clean.head(2).assign(height=[1.0, np.inf]))


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("alpha", -1, r"\{'auto'\} or a float in the range \[0.0, inf\)"),
        ("alpha", "best", r"\{'auto'\} or a float in the range \[0.0, inf\)"),
        ("alpha", np.nan, r"\{'auto'\} or a float in the range \[0.0, inf\)"),
        ("alpha", None, r"\{'auto'\} or a float in the range \[0.0, inf\)"),
        ("inference", "exact", "among .*'mean_field'"),
        ("noise_scale", -0.1, r"\{'estimate'\}, a float in the range \[0.0, inf\)"),
        ("noise_scale", np.inf, r"\{'estimate'\}, a float in the range \[0.0, inf\)"),
        ("noise_scale", "guess", r"\{'estimate'\}, a float in the range \[0.0, inf\)"),
        ("flip_rate", 1.0, r"\{'estimate'\}, a float in the range \[0.0, 1.0\)"),
        ("handle_unknown", "ignore", "among .*'missing'"),
        ("categorical", "all", r"\{'auto'\} or an array-like"),
        ("categorical", 3, r"\{'auto'\} or an array-like"),
        ("max_iter", -1, r"an int in the range \[1, inf\)"),
        ("max_iter", "abc", r"an int in the range \[1, inf\)"),
        ("max_iter", 10.5, r"an int in the range \[1, inf\)"),
        ("tol", np.nan, r"a float in the range \[0.0, inf\)"),
        ("tol", -1e-3, r"a float in the range \[0.0, inf\)"),
        ("random_state", "seven", "RandomState"),
    ],
)
def test_bad_parameters_are_named(clean, name, value, allowed):
    message = rf"The '{name}' parameter of RandomMixedField must be .*{allowed}.* Got "
    with pytest.raises(ValueError, match=message + re.escape(repr(value))):
        RandomMixedField(**{name: value}).fit(clean)


@pytest.mark.parametrize(
    ("name", "value"), [("flip_rate", 2), ("flip_rate", "often"), ("noise_scale", np.nan)]
)
def test_bad_values_of_a_mapping_are_named(clean, name, value):
    message = rf"{name}\['colour'\].* parameter of RandomMixedField must be a float in the range"
    with pytest.raises(ValueError, match=message):
        RandomMixedField(**{name: {"colour": value}}).fit(clean)


def test_columns_named_as_categorical_must_exist(clean):
    with pytest.raises(ValueError, match="categorical names 'weight'"):
        RandomMixedField(categorical=["weight"]).fit(clean)


@pytest.mark.parametrize(
    "changed",
    [{"noise_scale": "guess"}, {"flip_rate": {"colour": 1.5}}, {"inference": "exact"}],
)
def test_parameters_that_changed_after_fit_are_checked_too(clean, changed):
    model = RandomMixedField(alpha=0.1).fit(clean).set_params(**changed)
    for call in (model.transform, model.restore, lambda X: model.explain(X, 0, "height")):
        with pytest.raises(ValueError, match="parameter of RandomMixedField must be"):
            call(clean)


def test_noise_of_a_column_of_the_other_kind_is_an_error(clean):
    model = RandomMixedField(alpha=0.05, noise_scale={"colour": 1.0}).fit(clean)
    with pytest.raises(ValueError, match="'colour', which is not a numeric column"):
        model.transform(clean)


def test_columns_of_one_name_are_refused(clean):
    twins = pd.concat([clean, clean[["height"]]], axis=1)
    with pytest.raises(ValueError, match="Several columns are named 'height'"):
        RandomMixedField().fit(twins)
    with pytest.raises(ValueError, match="Several columns are named 'height'"):
        MixedTable.from_frame(twins)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.arange(80) * 1j, "Complex data not supported: column 'odd'"),
        (pd.Series([1j, 2.0] * 40, dtype=object), "Complex data not supported: column 'odd'"),
        (pd.period_range("2020-01", periods=80, freq="M"), r"'odd' is of dtype period\[M\]"),
        (pd.interval_range(0, 80), r"'odd' is of dtype interval\[int64, right\]"),
        (pd.arrays.SparseArray(np.arange(80.0)), r"'odd' is of dtype Sparse\[float64"),
        (pd.Series([[1, 2]] * 80), r"'odd' holds \[1, 2\], which is neither a number nor"),
        (pd.Series([{"a": 1}] * 80), "'odd' holds {'a': 1}, which is neither a number nor"),
    ],
)
def test_odd_columns_are_refused_by_name(clean, values, message):
    with pytest.raises(ValueError, match=message):
        RandomMixedField().fit(clean.assign(odd=values))


@pytest.mark.parametrize(
    "series",
    [
        pl.Series([time(1, 2)] * 4),
        pl.Series([[1, 2]] * 4),
        pl.Series([{"a": 1}] * 4),
        pl.Series([b"x"] * 4),
    ],
    ids=lambda series: str(series.dtype),
)
def test_odd_columns_of_polars_are_refused_by_name(series):
    frame = pl.DataFrame({"number": [1, 2, 3, 4], "odd": series})
    with pytest.raises(ValueError, match="'odd' is of dtype .* neither numbers, dates, text nor"):
        RandomMixedField().fit(frame)


def test_complex_arrays_are_refused():
    with pytest.raises(ValueError, match="Complex data not supported"):
        RandomMixedField().fit(np.ones((4, 2)) * 1j)


def test_ids_are_refused_and_may_be_named(clean):
    named = clean.assign(id=[f"row {i}" for i in range(80)])
    with pytest.raises(ValueError, match="'id' has 80 different values in 80 cells.*drop it"):
        RandomMixedField().fit(named)
    RandomMixedField(alpha=0.1, categorical=["colour", "tall", "size", "same", "id"]).fit(named)
    declared = named.astype({"id": "category"})
    assert len(RandomMixedField(alpha=0.1).fit(declared).codec_.states[-1]) == 80


def test_frequent_and_few_categories_are_no_ids(clean):
    few = clean.head(10).assign(name=list("abcdefghij"))
    RandomMixedField(alpha=0.1).fit(few)
    halves = clean.assign(name=[f"row {i % 40}" for i in range(80)])
    RandomMixedField(alpha=0.1).fit(halves)
