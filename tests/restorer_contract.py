"""What every restorer does with input that is wrong, or merely strange."""

import numpy as np
import pytest

from small_tables import clean_frame


class RestorerContract:
    """Tests for a subclass whose fixture `restorer` gives the restorers, one after another."""

    @pytest.fixture
    def clean(self):
        return clean_frame(80).assign(constant=7, same="x")

    @pytest.fixture
    def fitted(self, restorer, clean):
        return restorer.fit(clean)

    def test_an_unseen_category_is_an_error_that_names_it(self, fitted, clean):
        dirty = clean.head(3).assign(colour=["red", "mauve", "blue"])
        with pytest.raises(ValueError, match="'colour' holds 'mauve' in row 1"):
            fitted.transform(dirty)

    def test_constant_columns_are_filled_and_left_alone(self, fitted, clean):
        dirty = clean.head(4).assign(constant=[7.0, None, 8.0, 7.0], same=["x", None, "x", "x"])
        result = fitted.transform(dirty)
        assert result["constant"].tolist() == [7.0, 7.0, 8.0, 7.0]
        assert result["same"].tolist() == ["x"] * 4

    def test_a_row_without_a_single_value_gets_the_typical_row(self, fitted, clean):
        dirty = clean.head(2).astype(object).mask(np.array([[True] * 7, [False] * 7]))
        result = fitted.transform(dirty)
        assert not result.isna().any(axis=None)
        assert 0.3 < result["height"].iloc[0] < 1.7

    def test_a_column_without_a_single_value(self, fitted, clean):
        dirty = clean.head(10).assign(height=np.nan)
        result = fitted.transform(dirty)
        assert np.isfinite(result["height"]).all()

    def test_text_in_a_numeric_column(self, fitted, clean):
        dirty = clean.head(3).assign(height=[1.0, "n/a", 2.0])
        with pytest.raises(ValueError, match="'height' is numeric, but row 1 holds 'n/a'"):
            fitted.transform(dirty)

    def test_infinity_is_refused(self, fitted, clean):
        dirty = clean.head(2).assign(height=[1.0, np.inf])
        with pytest.raises(ValueError, match="'height' contains infinity in row 1"):
            fitted.transform(dirty)

    def test_fewer_rows_than_columns(self, restorer):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(5, 12))
        dirty = X.copy()
        dirty[0, 0] = np.nan
        assert np.isfinite(restorer.fit(X).transform(dirty)).all()

    def test_other_columns_than_in_training(self, fitted, clean):
        with pytest.raises(ValueError, match="feature names|features"):
            fitted.transform(clean.drop(columns="height"))
