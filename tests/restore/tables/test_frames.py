"""Tables of every make come back as they went in."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal

from labelfield.restore import MixedTable, RandomMixedField
from small_tables import clean_frame, holed


@pytest.fixture(scope="module")
def clean():
    return clean_frame()


@pytest.fixture(scope="module")
def model(clean):
    return RandomMixedField(alpha=0.02, random_state=0).fit(clean)


def test_a_complete_frame_comes_back_unchanged(model, clean):
    assert_frame_equal(model.transform(clean), clean)


def test_pandas_keeps_columns_dtypes_index_and_observed_cells(model, clean):
    dirty, hole = holed(clean)
    dirty.index = np.arange(1000, 1000 + len(dirty))
    before = dirty.copy()
    result = model.transform(dirty)
    assert_frame_equal(dirty, before)
    assert (result.dtypes == dirty.dtypes).all()
    assert result.index.equals(dirty.index)
    assert not result.isna().any(axis=None)
    assert_frame_equal(result.mask(hole), dirty)


def test_small_dtypes_are_kept(clean):
    narrow = clean.astype({"height": "float32", "count": "int8"})
    model = RandomMixedField(alpha=0.02, noise_scale=0.3).fit(narrow)
    result = model.transform(narrow)
    assert (result.dtypes == narrow.dtypes).all()
    assert (result["count"] != narrow["count"]).any()


def test_polars_and_pandas_give_the_same_answer(model, clean):
    dirty, _ = holed(clean)
    lazy = pl.from_pandas(dirty)
    result = model.transform(lazy)
    assert result.schema == lazy.schema
    assert result.null_count().sum_horizontal().item() == 0
    expected = model.transform(dirty)
    for name in ("height", "colour", "tall"):
        assert result[name].to_list() == expected[name].tolist()


def test_restore_tells_the_same_of_polars_and_pandas(clean):
    model = RandomMixedField(alpha=0.02, noise_scale=0.3, flip_rate=0.1).fit(clean)
    dirty, _ = holed(clean)
    expected = model.restore(dirty, return_std=True, return_proba=True)
    result = model.restore(pl.from_pandas(dirty), return_std=True, return_proba=True)
    assert isinstance(result.table, pl.DataFrame)
    assert result.table["colour"].to_list() == expected.table["colour"].tolist()
    for name in ("filled", "changed", "amount", "surprise", "std"):
        np.testing.assert_allclose(getattr(result, name), getattr(expected, name))
    np.testing.assert_allclose(result.proba["size"], expected.proba["size"])
    assert result.changes(3) == expected.changes(3)


def test_polars_enum_and_fit(clean):
    frame = pl.from_pandas(clean).with_columns(pl.col("size").cast(pl.Enum(["s", "m", "l"])))
    model = RandomMixedField(alpha=0.02).fit(frame)
    dirty = frame.head(3).with_columns(size=pl.lit(None, dtype=frame.schema["size"]))
    assert model.transform(dirty)["size"].to_list() == frame["size"].head(3).to_list()


@pytest.mark.parametrize("spec", [[2], [False, False, True]])
def test_arrays_with_a_column_specification(clean, spec):
    codes = clean["size"].cat.codes.to_numpy(float)
    X = np.column_stack([clean["height"], clean["count"], codes])
    model = RandomMixedField(categorical=spec, alpha=0.02).fit(X)
    dirty = X[:20].copy()
    dirty[:, 2] = np.nan
    result = model.transform(dirty)
    assert result.dtype == X.dtype
    assert set(np.unique(result[:, 2])) <= {0.0, 1.0, 2.0}
    assert (result[:, 2] == X[:20, 2]).mean() > 0.9


def test_object_arrays(clean):
    X = clean[["height", "colour"]].to_numpy(object)
    dirty = X[:4].copy()
    dirty[0, 0], dirty[1, 1] = None, None
    result = RandomMixedField(alpha=0.02).fit(X).transform(dirty)
    assert result[1, 1] == X[1, 1]
    assert abs(result[0, 0] - X[0, 0]) < 1.0
    assert (result[2:] == X[2:4]).all()


def test_mixed_tables(clean):
    table = MixedTable.from_frame(clean)
    dirty = table.with_cells(np.full_like(table.continuous, np.nan), table.categorical)
    result = RandomMixedField(alpha=0.02).fit(table).transform(dirty)
    assert isinstance(result, MixedTable)
    assert np.isfinite(result.continuous).all()
    assert (result.categorical == table.categorical).all()


def test_a_category_missing_from_the_dirty_dtype_is_added(model, clean):
    dirty = clean[clean["size"] != "l"].head(2).copy()
    dirty["size"] = dirty["size"].cat.remove_categories("l")
    dirty["size"] = pd.Categorical([None, None], categories=["s", "m"])
    dirty["height"], dirty["colour"], dirty["count"] = 2.0, "blue", 20
    assert model.transform(dirty)["size"].tolist() == ["l", "l"]


def test_names_are_kept_for_pipelines(model, clean):
    assert model.feature_names_in_.tolist() == clean.columns.tolist()
    assert model.get_feature_names_out().tolist() == clean.columns.tolist()
    with pytest.raises(ValueError, match="feature names"):
        model.transform(clean.rename(columns={"height": "width"}))


def test_an_empty_table_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        RandomMixedField().fit(pd.DataFrame({"a": []}))


def test_codec_tells_the_schema(model):
    kinds = {row["column"]: row["kind"] for row in model.codec_.schema()}
    assert kinds["height"] == kinds["count"] == "numeric"
    assert kinds["tall"] == "categorical"
    assert model.codec_.schema()[4]["states"] == ["s", "m", "l"]


def test_the_mask_of_a_masked_array_counts_as_missing(clean):
    X = clean[["height", "count"]].to_numpy(float)
    mask = np.random.default_rng(0).random(X.shape) < 0.2
    holes = np.where(mask, np.nan, X)
    masked = np.ma.array(np.where(mask, 1e20, X), mask=mask)
    model = RandomMixedField(alpha=0.02, random_state=0).fit(holes)
    expected = model.transform(holes)
    same = RandomMixedField(alpha=0.02, random_state=0).fit(masked)
    result = same.transform(masked)
    np.testing.assert_array_equal(same.net_.precision, model.net_.precision)
    assert isinstance(result, np.ma.MaskedArray)
    assert not np.ma.getmaskarray(result).any()
    np.testing.assert_array_equal(result.data, expected)
    np.testing.assert_array_equal(same.restore(masked).filled, mask)
    assert (masked.mask == mask).all()


def test_masked_whole_numbers_text_and_objects(clean):
    numbers = np.ma.array(clean[["count", "count"]].to_numpy(), mask=False)
    numbers.mask[:3, 1] = True
    whole = RandomMixedField(alpha=0.001).fit(numbers).transform(numbers)
    assert whole.dtype == numbers.dtype
    assert np.abs(whole[:3, 1] - whole[:3, 0]).max() <= 2
    text = np.ma.array(clean[["colour", "size"]].to_numpy(str), mask=False)
    text.mask[:3, 1] = True
    text.data[:3, 1] = "garbage"
    objects = np.ma.array(clean[["height", "colour"]].to_numpy(object), mask=False)
    objects.mask[:3, 0] = True
    objects.data[:3, 0] = "garbage"
    for table in (text, objects):
        model = RandomMixedField(alpha=0.02).fit(table)
        result = model.transform(table)
        assert "garbage" not in result.data
        assert not result.mask.any()
    assert model.codec_.numeric == (0,)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, np.ma.masked])
def test_every_kind_of_nothing_is_missing(missing):
    X = np.array([["a", 1.0], ["b", 2.0]] * 10, dtype=object)
    X[0, 0] = X[1, 1] = missing
    result = RandomMixedField(alpha=0.02).fit(X).restore(X)
    assert np.argwhere(result.filled).tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("dtype", ["UInt8", "Int8"])
@pytest.mark.parametrize("make", ["masked", "pandas", "polars"])
def test_small_whole_numbers_never_wrap_around(dtype, make):
    limits = np.iinfo(dtype.lower())
    ramp = np.linspace(limits.min, limits.max, 40).round()
    clean = np.column_stack([np.arange(40), ramp, ramp[::-1]])
    tables = {
        "masked": lambda rows: np.ma.array(
            np.nan_to_num(rows).astype(dtype.lower()), mask=np.isnan(rows)
        ),
        "pandas": lambda rows: pd.DataFrame(rows, columns=list("abc")).astype(dtype),
        "polars": lambda rows: pl.DataFrame(rows, schema=list("abc"), orient="row").select(
            pl.all().fill_nan(None).cast(getattr(pl, dtype))
        ),
    }
    model = RandomMixedField(alpha=1e-4, spike_share=None).fit(tables[make](clean))
    result = model.transform(tables[make](np.array([[80, np.nan, np.nan]])))
    assert np.array(result).tolist() == [[80, limits.max, limits.min]]
