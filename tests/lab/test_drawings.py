"""Figures that show a fitted model."""

import pytest
from lab.drawings import DRAWINGS, Drawing
from lab.drawings.drawing import write_drawing
from lab.published import TABLES

from lab import sources, status
from labelfield.datasets import make_multilabel

pytest.importorskip("matplotlib")


@pytest.fixture
def small_data(monkeypatch):
    """Have every data set be a small drawn one."""

    def load(name, split):
        data = make_multilabel(n_samples=160, n_features=4, n_labels=4, random_state=0)
        return data.take(slice(0, 80) if split == "train" else slice(80, 160)) if split else data

    draw = sources.Generated.draw
    monkeypatch.setattr(sources, "_load", load)
    monkeypatch.setattr(sources.Generated, "draw", lambda self, n, seed: draw(self, 40, seed))


@pytest.mark.parametrize("id", DRAWINGS)
def test_every_drawing_draws_any_data(id, small_data, tmp_path):
    page = write_drawing(DRAWINGS[id], tmp_path).read_text(encoding="utf-8")
    picture = (tmp_path / "images" / f"{id}.svg").read_text(encoding="utf-8")
    assert f"# {id}: {DRAWINGS[id].title}" in page
    assert f"](images/{id}.svg)" in page
    assert picture.count("<path") + picture.count("<text") > 5


def test_what_is_drawn_is_no_table_that_can_be_computed():
    assert not any(status(TABLES[id]).runnable for id in DRAWINGS if id in TABLES)


def test_lines_below_the_picture(tmp_path):
    drawing = Drawing("x-fig1", "A line", "Drawn.", lambda figure: ["Below."])
    assert write_drawing(drawing, tmp_path).read_text(encoding="utf-8").endswith("svg)\n\nBelow.\n")
    assert drawing.missing() == ""
