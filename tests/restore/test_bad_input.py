"""Input that is wrong, or merely strange: a clear error or the right answer."""

import numpy as np
import pytest

from labelfield.registry import RESTORERS
from labelfield.restore import RandomMixedField
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
