"""Dates and durations: numbers for the field, dates again in the restored table."""

from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

from labelfield.restore import RandomMixedField
from labelfield.restore.tables.dates import days_of, moments_of

START = np.datetime64("2021-03-01", "us")
DAY = np.timedelta64(1, "D")


def visits(n=120, seed=0):
    """A group, days that grow with it, and how long that took; to the hour."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    hours = (24 * (100 * group + rng.normal(size=n))).round().astype("m8[h]")
    return pd.DataFrame(
        {
            "group": np.array(["a", "b", "c"])[group],
            "when": START + hours,
            "took": hours.astype("m8[us]"),
        }
    )


@pytest.fixture(scope="module")
def clean():
    return visits()


DTYPES = [
    {"when": "datetime64[ns]", "took": "timedelta64[ns]"},
    {"when": "datetime64[s]", "took": "timedelta64[s]"},
    {"when": pd.ArrowDtype(pa.timestamp("us")), "took": pd.ArrowDtype(pa.duration("ms"))},
]


def near(values, truth):
    return np.abs(days_of(np.asarray(values)) - days_of(np.asarray(truth))) < 6


@pytest.mark.parametrize("dtypes", DTYPES, ids=str)
def test_pandas_columns_of_any_unit(clean, dtypes):
    frame = clean.astype(dtypes)
    dirty = frame.head(6).copy()
    dirty.loc[:3, ["when", "took"]] = None
    result = RandomMixedField(alpha=0.02).fit(frame).transform(dirty)
    assert (result.dtypes == dirty.dtypes).all()
    assert_frame_equal(result.iloc[4:], dirty.iloc[4:])
    assert near(result["when"].to_numpy("M8[us]"), clean["when"].head(6)).sum() >= 2
    assert not result["when"].isna().any()
    assert_allclose(
        days_of(result["when"].to_numpy("M8[us]")) - days_of(np.array([START])),
        days_of(result["took"].to_numpy("m8[us]")),
        atol=0.1,
    )


def test_a_date_is_one_number_not_many_categories(clean):
    model = RandomMixedField(alpha=0.02).fit(clean)
    assert model.codec_.shape.n_numeric == 2
    kinds = {row["column"]: row["kind"] for row in model.codec_.schema()}
    assert kinds == {"group": "categorical", "when": "date", "took": "duration"}
    assert model.graph_.kinds == ("categorical", "date", "duration")


def test_time_zones_are_kept(clean):
    here = clean.assign(when=clean["when"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    dirty = here.head(8).copy()
    dirty.loc[:6, "when"] = None
    result = RandomMixedField(alpha=0.02).fit(here).transform(dirty)
    plain = (
        RandomMixedField(alpha=0.02)
        .fit(clean)
        .transform(clean.head(8).assign(when=clean["when"].head(8).where([False] * 7 + [True])))
    )
    assert result["when"].dtype == here["when"].dtype
    assert_array_equal(
        result["when"].dt.tz_convert("UTC").dt.tz_localize(None), plain["when"].to_numpy()
    )


@pytest.mark.parametrize("unit", ["ns", "us", "ms"])
@pytest.mark.parametrize("zone", [None, "Europe/Paris"])
def test_polars_columns(clean, unit, zone):
    frame = pl.from_pandas(clean).with_columns(
        pl.col("when").dt.cast_time_unit(unit), pl.col("took").dt.cast_time_unit(unit)
    )
    if zone:
        frame = frame.with_columns(pl.col("when").dt.replace_time_zone(zone))
    dirty = frame.head(5).with_columns(
        when=pl.when(pl.int_range(5) < 4).then(None).otherwise(pl.col("when"))
    )
    result = RandomMixedField(alpha=0.02).fit(frame).transform(dirty)
    assert result.schema == frame.schema
    assert result["when"][4] == frame["when"][4]
    assert near(result["when"].to_numpy(), frame["when"].head(5).to_numpy()).all()


def test_whole_days_stay_whole(clean):
    whole = clean.assign(when=clean["when"].dt.normalize(), took=clean["took"].dt.round("D"))
    dirty = whole.head(10).copy()
    dirty.loc[:, ["when", "took"]] = None
    result = RandomMixedField(alpha=0.02).fit(whole).transform(dirty)
    assert (result["when"] == result["when"].dt.normalize()).all()
    assert (result["took"] == result["took"].dt.round("D")).all()
    timed = RandomMixedField(alpha=0.02).fit(clean).transform(dirty)
    assert (timed["when"] != timed["when"].dt.normalize()).any()


def test_polars_and_arrow_dates(clean):
    days = clean["when"].dt.normalize()
    frame = pl.DataFrame({"group": clean["group"].tolist(), "when": days.dt.date.tolist()})
    model = RandomMixedField(alpha=0.02).fit(frame)
    dirty = frame.head(4).with_columns(when=pl.lit(None, dtype=pl.Date))
    result = model.transform(dirty)
    assert result.schema == frame.schema
    arrow = clean[["group"]].assign(when=days.dt.date.astype(pd.ArrowDtype(pa.date32())))
    holes = arrow.head(4).copy()
    holes.loc[:, "when"] = None
    same = RandomMixedField(alpha=0.02).fit(arrow).transform(holes)
    assert same["when"].dtype == arrow["when"].dtype
    assert same["when"].tolist() == result["when"].to_list()


def test_arrays_of_dates():
    days = np.arange(40)[:, None] * np.array([1, 2])
    X = np.datetime64("2024-01-01", "D") + days
    dirty = X[[10, 20]].copy()
    dirty[:, 1] = np.datetime64("NaT")
    result = RandomMixedField(alpha=0.001).fit(X).transform(dirty)
    assert result.dtype == X.dtype
    assert np.abs(result[:, 1] - X[[10, 20], 1]).max() <= 2 * DAY


def test_units_of_training_and_later_tables_may_differ(clean):
    dirty = clean.head(5).copy()
    dirty.loc[:, "when"] = None
    model = RandomMixedField(alpha=0.02).fit(clean)
    coarse = model.transform(dirty.astype({"when": "datetime64[s]"}))
    fine = model.transform(dirty.astype({"when": "datetime64[ns]"}))
    assert np.abs(coarse["when"] - fine["when"]).max() <= pd.Timedelta("0.5s")


def test_noise_is_in_days_and_changes_are_told_in_dates(clean):
    dirty = clean.copy()
    wrong = clean["when"][3] + pd.Timedelta(days=60)
    dirty.loc[3, "when"] = wrong
    model = RandomMixedField(alpha=0.02, noise_scale={"when": 20.0}).fit(clean)
    result = model.restore(dirty, return_std=True)
    assert_allclose(result.noise_scale["when"], 20.0)
    first = result.changes(1)[0]
    assert (first.row, first.column) == (3, "when")
    assert first.before == wrong.to_pydatetime()
    assert abs(first.after - clean["when"][3].to_pydatetime()) < timedelta(days=20)
    assert 0 < result.std[3, 1] < 20


def test_explanations_are_told_in_dates(clean):
    dirty = clean.head(1).assign(when=pd.Series([None], dtype="datetime64[us]"))
    model = RandomMixedField(alpha=0.02).fit(clean)
    why = model.explain(dirty, 0, "when")
    total = why.baseline + timedelta(days=sum(part for _, part in why.contributions))
    assert abs(total - why.restored) < timedelta(milliseconds=1)
    assert abs(why.restored - model.transform(dirty)["when"][0]) < timedelta(milliseconds=1)


def test_a_constant_date_and_a_frequent_one(clean):
    day = pd.Timestamp("2020-02-29")
    often = clean["when"].where(np.arange(120) % 2 == 1, day)
    frame = clean.assign(same=day, often=often)
    dirty = frame.head(3).copy()
    dirty.loc[:, "same"] = pd.NaT
    model = RandomMixedField(alpha=0.02).fit(frame)
    assert (model.transform(dirty)["same"] == day).all()
    assert model.codec_.schema()[3] == {
        "column": "same",
        "kind": "constant",
        "value": datetime(2020, 2, 29),
    }
    assert model._spikes.node_names(model.codec_)[-1] == "often = 2020-02-29 00:00:00"


@pytest.mark.parametrize(
    "values",
    [
        [date(2020, 1, 1), None, date(2020, 1, 3)],
        [datetime(2020, 1, 1), datetime(2020, 1, 2), None],
        [np.datetime64("2020-01-01"), np.datetime64("NaT"), np.datetime64("2020-01-02")],
    ],
)
def test_dates_as_objects_are_refused_by_name(values):
    frame = pd.DataFrame({"when": np.array(values, dtype=object)}, dtype=object)
    with pytest.raises(ValueError, match="'when' holds dates as objects.*pandas.to_datetime"):
        RandomMixedField().fit(frame)
    X = np.array([values, [1, 2, 3]], dtype=object).T
    with pytest.raises(ValueError, match="Column 0 holds dates as objects"):
        RandomMixedField().fit(X)
    RandomMixedField(alpha=0.1, categorical=["when"]).fit(frame)


def test_dates_are_no_categories(clean):
    with pytest.raises(ValueError, match="'when' holds dates, which are numbers here"):
        RandomMixedField(categorical=["group", "when"]).fit(clean)


def test_dates_and_numbers_are_never_mixed_up(clean):
    model = RandomMixedField(alpha=0.02).fit(clean)
    numbers = clean.assign(when=clean["when"].astype("int64"))
    with pytest.raises(ValueError, match="'when' had dates in training and has no dates here"):
        model.transform(numbers)
    with pytest.raises(ValueError, match="'took' had durations in training and has dates"):
        model.transform(clean.assign(took=clean["when"]))
    with pytest.raises(ValueError, match="'when' had no dates in training and has dates here"):
        RandomMixedField(alpha=0.1).fit(numbers).transform(clean)


@given(
    st.lists(st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1)), min_size=1, max_size=5),
    st.sampled_from(["us", "ms", "s", "D"]),
)
def test_days_are_right_to_a_microsecond(moments, unit):
    moments = np.array(moments, dtype="M8[us]")
    lengths = moments - START
    assert np.abs(moments_of(days_of(moments), "date") - moments).max().astype(int) <= 1
    assert np.abs(moments_of(days_of(lengths), "duration") - lengths).max().astype(int) <= 1
    rounded = moments_of(days_of(moments), "date", unit)
    assert_array_equal(rounded.astype(f"M8[{unit}]"), rounded)
    half = np.timedelta64(1, unit).astype("m8[us]").astype(int) / 2
    assert np.abs(rounded - moments).max().astype(int) <= half + 1
