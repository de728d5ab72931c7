"""MixedTable: holes, frames and checks."""

import numpy as np
import pandas as pd
import pytest

from labelfield.restore import MixedTable

CONTINUOUS = np.array([[1.0, 5.0], [np.nan, 7.0], [3.0, np.nan]])
CATEGORICAL = np.array([[0], [-1], [1]])


@pytest.fixture
def table():
    return MixedTable(
        CONTINUOUS,
        CATEGORICAL,
        (("lo", "hi"),),
        ("age", "size"),
        ("level",),
        target=np.array([0, 1, 0]),
        columns=("age", "level", "size"),
    )


def test_missing_cells(table):
    expected = [[0, 0, 0], [1, 0, 1], [0, 1, 0]]
    np.testing.assert_array_equal(table.missing(), np.array(expected, dtype=bool))


def test_holes_are_filled_from_the_reference(table):
    reference = table.take([0, 0, 2])
    filled = table.filled_from(reference)
    np.testing.assert_allclose(filled.continuous, [[1, 5], [5 / 3, 7], [3, 5]])
    np.testing.assert_array_equal(filled.categorical, [[0], [0], [1]])
    assert table.missing().any()
    with pytest.raises(ValueError, match="Column 'age' of the reference"):
        table.filled_from(table.take([1]))


def test_take_keeps_the_target(table):
    some = table.take(np.array([False, True, True]))
    np.testing.assert_array_equal(some.target, [1, 0])
    np.testing.assert_array_equal(some.continuous, CONTINUOUS[1:])


def test_frame_and_back(table):
    frame = table.to_frame()
    assert list(frame.columns) == ["age", "level", "size"]
    assert frame["level"].astype(object).tolist()[::2] == ["lo", "hi"]
    assert frame.isna().to_numpy().sum() == 3
    back = MixedTable.from_frame(frame, target=table.target)
    np.testing.assert_array_equal(back.continuous, table.continuous)
    np.testing.assert_array_equal(back.categorical, table.categorical)
    assert back.categories == table.categories
    assert back.columns == table.columns


def test_frame_of_one_kind_only():

    assert MixedTable.from_frame(pd.DataFrame({"a": [1, 2]})).categorical.shape == (2, 0)
    only = MixedTable.from_frame(pd.DataFrame({"a": ["x", None], "b": [True, False]}))
    assert only.continuous.shape == (2, 0)
    np.testing.assert_array_equal(only.categorical, [[0, 1], [-1, 0]])


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((CONTINUOUS, CATEGORICAL[:2], (("a", "b"),)), "the same rows"),
        ((CONTINUOUS, CATEGORICAL, ()), "1 entries of categories"),
        ((CONTINUOUS, CATEGORICAL, (("a",),)), "outside its categories"),
    ],
)
def test_parts_that_do_not_fit(parts, message):
    with pytest.raises(ValueError, match=message):
        MixedTable(*parts)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), "'odd' is of dtype datetime64"),
        (pd.to_timedelta([1, 2], unit="D"), "'odd' is of dtype timedelta64"),
        ([1j, 2j], "'odd' is of dtype complex128"),
    ],
)
def test_frames_of_other_kinds_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        MixedTable.from_frame(pd.DataFrame({"number": [1, 2], "odd": values}))
