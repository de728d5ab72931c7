"""Pictures: well-formed, named for screen readers, with every mark inside the frame."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from labelfield.label_graph import associate_labels
from labelfield.report import figures
from labelfield.report.figures.svg import Scale, shorten, ticks
from labelfield.report.summary import (
    describe_data,
    summarize_automation,
    summarize_graph,
    summarize_reliability,
)

SIZES = [1, 2, 6, 20, 100, 374]


def made_labels(L, n=400):
    rng = np.random.default_rng(L)
    topic = rng.integers(0, max(2, L // 5), n)
    strength = 0.02 + 0.5 * (np.arange(L)[None] % max(2, L // 5) == topic[:, None])
    return rng.random((n, L)) < strength


def parsed(picture):
    root = ElementTree.fromstring(picture)
    assert root.tag == "svg"
    assert root.get("aria-label")
    assert root.get("role") in ("img", "group")
    return root


def frame(root):
    x, y, width, height = map(float, root.get("viewBox").split())
    return x, y, x + width, y + height


def assert_inside(root):
    left, top, right, bottom = frame(root)
    for mark in root.iter():
        xs = [float(mark.get(key)) for key in ("x", "x1", "x2", "cx") if mark.get(key)]
        ys = [float(mark.get(key)) for key in ("y", "y1", "y2", "cy") if mark.get(key)]
        if mark.tag == "rect" and mark.get("x"):
            xs.append(float(mark.get("x")) + float(mark.get("width")))
            ys.append(float(mark.get("y")) + float(mark.get("height")))
        for pair in (mark.get("points") or "").split():
            x, y = map(float, pair.split(","))
            xs.append(x)
            ys.append(y)
        assert all(left - 0.5 <= x <= right + 0.5 for x in xs), ElementTree.tostring(mark)
        assert all(top - 0.5 <= y <= bottom + 0.5 for y in ys), ElementTree.tostring(mark)


@pytest.mark.parametrize("L", SIZES)
def test_pictures_of_the_data(L):
    data = describe_data(made_labels(L))
    for picture in (
        figures.label_frequencies(data["frequencies"]),
        figures.label_tail(data["frequencies"]),
        figures.set_sizes(data["set_sizes"]),
        figures.co_occurrence_map(data["co_occurrence"]),
    ):
        assert_inside(parsed(picture))


def test_bars_are_as_long_as_their_counts():
    labels = [{"name": n, "count": c, "share": c / 9} for n, c in (("a", 8), ("b", 2), ("c", 0))]
    widths = [
        float(bar.get("width")) for bar in parsed(figures.label_frequencies(labels)).iter("rect")
    ]
    assert widths == pytest.approx([widths[0], widths[0] / 4, 0.0], abs=0.02)


@pytest.mark.parametrize("L", [2, 6, 20, 100])
def test_every_cell_of_the_map_is_shaded_by_its_share(L):
    co_occurrence = describe_data(made_labels(L))["co_occurrence"]
    shade = {}
    for path in parsed(figures.co_occurrence_map(co_occurrence)).iter("path"):
        level = 1.0 if path.get("class") == "self" else float(path.get("fill-opacity"))
        for column, row in re.findall(r"M(\d+) (\d+)", path.get("d")):
            shade[int(row), int(column)] = level
    given = co_occurrence["given"]
    for a in range(L):
        for b in range(L):
            assert shade.get((a, b), 0.0) == pytest.approx(given[a][b] or 0.0, abs=0.0251)


def test_the_map_carries_its_numbers_for_the_script():
    picture = parsed(
        figures.co_occurrence_map({"names": ["a", "b"], "given": [[1.0, 0.1234], [None, None]]})
    )
    assert picture.get("data-given") == "1000,123,,"
    assert picture.get("data-names") == '["a", "b"]'


def scores(*values):
    return [
        {"model": f"m{k}", "mean": mean, "std": std, "best": best, "tied": False}
        for k, (mean, std, best) in enumerate(values)
    ]


def test_dots_stand_in_the_order_of_the_scores():
    rows = scores((0.2, 0.1, False), (0.6, None, True), (None, None, False), (0.4, 0.0, False))
    root = parsed(figures.metric_dots("F1", rows, True))
    assert_inside(root)
    circles = [float(dot.get("cx")) for dot in root.iter("circle")]
    [diamond] = [path for path in root.iter("path") if path.get("class") == "dot best"]
    best = float(re.match(r"M([\d.]+)", diamond.get("d"))[1])
    assert circles[0] < circles[1] < best
    assert "best: m1" in root.get("aria-label")


@pytest.mark.parametrize("means", [(0.999, 1.0), (0.0, 0.0), (3.0, 120.0), (-2.0, 5.0), (0.5,)])
def test_dots_of_any_range(means):
    assert_inside(
        parsed(figures.metric_dots("x", scores(*((m, 0.5, False) for m in means)), False))
    )


@pytest.mark.parametrize("accuracy", [0.0, 0.3, 0.97, 1.0])
@pytest.mark.parametrize("n", [1, 5, 600])
def test_pictures_of_confidence(n, accuracy):
    rng = np.random.default_rng(0)
    confidence, correct = rng.random(n), rng.random(n) < accuracy
    assert_inside(parsed(figures.reliability_diagram(summarize_reliability(confidence, correct))))
    assert_inside(parsed(figures.automation_curve(summarize_automation(confidence, correct))))


@pytest.mark.parametrize("L", [2, 6, 20, 100, 374])
def test_the_graph_places_visible_labels_on_a_circle(L):
    graph = summarize_graph(associate_labels(made_labels(L)))
    root = parsed(figures.label_graph(graph))
    nodes = [node for node in root.iter("g") if node.get("data-node")]
    shown = [node for node in nodes if "off" not in node.get("class").split()]
    links = [path for path in root.iter("path") if "off" not in path.get("class").split()]
    expected = [link for link in graph["links"] if abs(link[2]) >= graph["threshold"]]
    assert len(nodes) == L
    assert (
        len(links) == len(expected) == sum(path.get("d") is not None for path in root.iter("path"))
    )
    linked = {end for a, b, _ in expected for end in (a, b)}
    assert len(shown) == (L if graph["keep_all"] else len(linked))
    angles = [float(re.match(r"rotate\(([-\d.]+)\)", node.get("transform"))[1]) for node in shown]
    np.testing.assert_allclose(np.diff(angles), 360 / len(shown), atol=2e-3)
    font = float(root.get("font-size"))
    assert font <= 1.01 * 2 * np.pi * float(root.get("data-radius")) / len(shown)


def test_links_end_at_their_labels_and_show_their_sign():
    graph = {
        "names": ["a", "b", "c", "d"],
        "order": [0, 1, 2, 3],
        "links": [[0, 2, 1.0], [1, 3, -0.5]],
        "threshold": 0.5,
        "keep_all": True,
    }
    root = parsed(figures.label_graph(graph))
    up_down, sideways = root.iter("path")
    radius = float(root.get("data-radius"))
    assert up_down.get("class") == "link plus"
    assert sideways.get("class") == "link minus"
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", up_down.get("d"))]
    np.testing.assert_allclose(numbers, [0, -radius, 0, 0, 0, radius], atol=0.1)


def test_ticks_are_round_and_inside():
    assert ticks(0, 1) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(0.613, 0.688, 5) == [0.62, 0.64, 0.66, 0.68]
    assert ticks(5, 5) == [5]
    assert Scale(0, 10, 100, 200)(2.5) == 125


def test_long_names_are_cut():
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abc defg", 5) == "abc…"
