"""Input that is wrong, or merely strange: a clear error or the right answer."""

import numpy as np
import pytest

from labelfield.registry import RESTORERS as ENTRIES
from labelfield.restore import MeanModeImputer, MixedKNNImputer, RandomMixedField
from small_tables import clean_frame

RESTORERS = [
    *(entry.make_tiny() for entry in ENTRIES.values()),
    RandomMixedField(alpha=0.02, noise_scale=0.1, flip_rate=0.1),
]


@pytest.fixture(scope="module")
def clean():
    return clean_frame(80).assign(constant=7, same="x")


@pytest.fixture(params=RESTORERS, ids=lambda r: type(r).__name__ + str(getattr(r, "flip_rate", "")))
def fitted(request, clean):
    return request.param.fit(clean)


def test_an_unseen_category_is_an_error_that_names_it(fitted, clean):
    dirty = clean.head(3).assign(colour=["red", "mauve", "blue"])
    with pytest.raises(ValueError, match="'colour' holds 'mauve' in row 1"):
        fitted.transform(dirty)


def test_an_unseen_category_can_be_restored(clean):
    model = RandomMixedField(alpha=0.02, handle_unknown="missing").fit(clean)
    dirty = clean.head(3).assign(colour=["red", "mauve", "blue"])
    dirty["colour"] = dirty["colour"].where([False, True, False], clean["colour"])
    result = model.restore(dirty)
    assert result.table["colour"].tolist() == clean["colour"].head(3).tolist()
    first = result.changes(1)[0]
    assert (first.row, first.before, first.surprise) == (1, "mauve", np.inf)


def test_constant_columns_are_filled_and_left_alone(fitted, clean):
    dirty = clean.head(4).assign(constant=[7.0, None, 8.0, 7.0], same=["x", None, "x", "x"])
    result = fitted.transform(dirty)
    assert result["constant"].tolist() == [7.0, 7.0, 8.0, 7.0]
    assert result["same"].tolist() == ["x"] * 4


def test_a_row_without_a_single_value_gets_the_typical_row(fitted, clean):
    dirty = clean.head(2).astype(object).mask(np.array([[True] * 7, [False] * 7]))
    result = fitted.transform(dirty)
    assert not result.isna().any(axis=None)
    assert 0.3 < result["height"].iloc[0] < 1.7


def test_a_column_without_a_single_value(fitted, clean):
    dirty = clean.head(10).assign(height=np.nan)
    result = fitted.transform(dirty)
    assert np.isfinite(result["height"]).all()


def test_a_training_column_without_a_single_value_is_an_error(clean):
    with pytest.raises(ValueError, match="'height' has no value at all"):
        MeanModeImputer().fit(clean.assign(height=np.nan))


def test_text_in_a_numeric_column(fitted, clean):
    dirty = clean.head(3).assign(height=[1.0, "n/a", 2.0])
    with pytest.raises(ValueError, match="'height' is numeric, but row 1 holds 'n/a'"):
        fitted.transform(dirty)


def test_text_among_numbers_in_training(clean):
    mixed = clean.astype({"height": object})
    mixed.loc[3, "height"] = "n/a"
    with pytest.raises(ValueError, match="'height' mixes text such as 'n/a'"):
        MeanModeImputer().fit(mixed)
    with pytest.raises(ValueError, match="'height' is numeric, but row 3"):
        MeanModeImputer(categorical=["colour", "tall", "size", "same"]).fit(mixed)


def test_infinity_is_refused_in_training_and_later(fitted, clean):
    dirty = clean.head(2).assign(height=[1.0, np.inf])
    with pytest.raises(ValueError, match="'height' contains infinity in row 1"):
        fitted.transform(dirty)
    with pytest.raises(ValueError, match="contains infinity"):
        MeanModeImputer().fit(dirty)


@pytest.mark.parametrize("restorer", RESTORERS, ids=lambda r: type(r).__name__)
def test_fewer_rows_than_columns(restorer):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5, 12))
    dirty = X.copy()
    dirty[0, 0] = np.nan
    assert np.isfinite(restorer.fit(X).transform(dirty)).all()


def test_other_columns_than_in_training(fitted, clean):
    with pytest.raises(ValueError, match="feature names|features"):
        fitted.transform(clean.drop(columns="height"))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1}, "alpha must be"),
        ({"alpha": "best"}, "alpha must be"),
        ({"inference": "exact"}, "inference must be one of collapsed, mean_field"),
        ({"noise_scale": -0.1}, "noise_scale must be"),
        ({"noise_scale": "guess"}, "noise_scale must be"),
        ({"flip_rate": 1.0}, "flip_rate must be"),
        ({"flip_rate": {"colour": 2}}, "flip_rate must be"),
        ({"handle_unknown": "ignore"}, "handle_unknown must be"),
        ({"categorical": "all"}, "categorical must be"),
        ({"categorical": ["weight"]}, "categorical names 'weight'"),
    ],
)
def test_bad_parameters_are_named(clean, parameters, message):
    with pytest.raises(ValueError, match=message):
        RandomMixedField(**parameters).fit(clean)


def test_noise_of_a_column_of_the_other_kind_is_an_error(clean):
    model = RandomMixedField(alpha=0.05, noise_scale={"colour": 1.0}).fit(clean)
    with pytest.raises(ValueError, match="'colour', which is not a numeric column"):
        model.transform(clean)


def test_no_neighbors_is_an_error(clean):
    with pytest.raises(ValueError, match="n_neighbors must be at least 1"):
        MixedKNNImputer(n_neighbors=0).fit(clean)
