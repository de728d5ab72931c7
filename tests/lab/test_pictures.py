"""Figures of the documents as pictures."""

import re

import pytest
from lab.pages.pictures import draw_curves, find_curves


def summary(along, columns):
    """Return a summarised table of one measure: {column: {row: (ours, published)}}."""
    return {
        "id": "x-fig1",
        "along": along,
        "columns": [
            {
                "title": column,
                "rows": [
                    {"title": row, "figures": {"accuracy": {"ours": one[0], "published": one[1]}}}
                    for row, one in rows.items()
                ],
            }
            for column, rows in columns.items()
        ],
    }


def point(mean, deviation=None):
    return {"mean": mean, "deviation": deviation}


def test_places_in_titles_of_columns_come_sorted():
    rows = {"RMF": (point(0.7, 0.1), point(0.6))}
    later = {"RMF": (None, point(None))}
    found = find_curves(
        summary("missing", {"noise 0, missing 0.5": rows, "noise 0, missing 0.1": rows}), "accuracy"
    )
    places = [(0.1, 0.7, 0.1), (0.5, 0.7, 0.1)]
    assert found == {
        "noise 0": {"RMF": {"ours": places, "published": [(0.1, 0.6, None), (0.5, 0.6, None)]}}
    }
    assert find_curves(summary("missing", {"noise 0, missing 0.5": later}), "accuracy") == {}


@pytest.mark.parametrize(
    ("along", "title", "place", "rest"),
    [
        ("edges", "CGM, 12 edges", 12.0, "CGM"),
        ("edge penalty", "CGL, edge penalty 0.05", 0.05, "CGL"),
        ("% hidden", "Corel5K, 30 % hidden", 30.0, "Corel5K"),
        ("candidates", "50 candidates", 50.0, ""),
        ("rows", "2 labels, 100 rows", 100.0, "2 labels"),
    ],
)
def test_the_number_beside_the_word_is_the_place(along, title, place, rest):
    found = find_curves(summary(along, {"scene": {title: (point(0.7), None)}}), "accuracy")
    assert found == {"scene": {rest: {"ours": [(place, 0.7, None)], "published": []}}}


def test_rows_without_a_place_are_levels_in_a_picture_that_is_always_the_same():
    pytest.importorskip("matplotlib")
    rows = {
        "CBM, 1 components": (point(0.2), point(0.3)),
        "CBM, 40 components": (point(0.4, 0.1), None),
        "BR": (point(0.25), None),
    }
    told = summary("components", {"TMC": rows})
    assert find_curves(told, "accuracy")["TMC"]["BR"]["ours"] == [(None, 0.25, None)]
    picture = draw_curves(told, {"name": "accuracy", "title": "set accuracy"})
    assert picture == draw_curves(told, {"name": "accuracy", "title": "set accuracy"})
    for word in ("TMC", "CBM", "CBM (print)", "BR", "components", "set accuracy"):
        assert f">{word}</text>" in picture


def test_a_figure_of_which_only_levels_are_finished_is_drawn():
    table = summary("alpha", {"scene": {"BR": (point(0.5), None)}})
    assert "BR" in draw_curves(table, {"name": "accuracy", "title": "accuracy"})


def drawn(panels):
    pytest.importorskip("matplotlib")
    table = summary("alpha", panels)
    return draw_curves(table, {"name": "accuracy", "title": "accuracy"})


def curve(name, *means):
    return {f"{name}, alpha {k + 1}": (point(mean), None) for k, mean in enumerate(means)}


def test_panels_that_lie_apart_have_axes_of_their_own():
    near = drawn({"one": curve("BR", 0.1, 0.2), "other": curve("BR", 0.15, 0.25)})
    apart = drawn({"one": curve("BR", 0.1, 0.2), "other": curve("BR", 0.8, 0.9)})
    assert apart.count("<text") > near.count("<text") + 2


@pytest.mark.parametrize("panels", [("one",), ("one", "other")])
@pytest.mark.parametrize("length", [10, 36, 70])
def test_long_names_stay_inside_the_picture(length, panels):
    names = [f"{k} {'x' * length}" for k in range(5)]
    rows = {title: one for name in names for title, one in curve(name, 0.1, 0.2).items()}
    picture = drawn(dict.fromkeys(panels, rows))
    places = [float(x) for x in re.findall(r' x="([-\d.]+)"', picture)]
    assert len(places) > 10
    assert min(places) > 0  # a legend that is too wide sticks out on both sides


def test_few_places_of_very_different_sizes_are_all_marked():
    table = summary("rows", {f"set, {n} rows": {"BR": (point(0.5), None)} for n in (5, 50, 2000)})
    picture = draw_curves(table, {"name": "accuracy", "title": "accuracy"})
    for place in ("5", "50", "2000"):
        assert f">{place}</text>" in picture
