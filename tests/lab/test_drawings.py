"""Figures that show a fitted model."""

import pytest
from lab.drawings import DRAWINGS, Drawing
from lab.drawings.drawing import write_drawing
from lab.published import TABLES

from lab import Store, cells_of, run_table, sources, write_results
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
    monkeypatch.setattr("lab.drawings.nets.N_NETS", 1)
    monkeypatch.setattr("lab.drawings.nets.N_ROWS", 90)


@pytest.mark.parametrize("id", DRAWINGS)
def test_every_drawing_draws_any_data(id, small_data, tmp_path):
    written = write_drawing(DRAWINGS[id], tmp_path)
    picture = (tmp_path / "images" / f"{id}.svg").read_text(encoding="utf-8")
    assert picture.count("<path") + picture.count("<text") > 5
    if DRAWINGS[id].beside:
        assert not list(tmp_path.glob("*.md"))
        return
    page = written.read_text(encoding="utf-8")
    assert f"# {id}: {DRAWINGS[id].title}" in page
    assert f"](images/{id}.svg)" in page


def test_pictures_stand_beside_the_cells_of_tables_that_can_be_computed():
    drawn = [one for id, one in DRAWINGS.items() if id in TABLES]
    assert [one.beside for one in drawn] == [
        any(cell.task == "noisy_confidence" for cell in cells_of(TABLES[one.id])) for one in drawn
    ]


def test_a_page_of_cells_shows_the_picture_beside_it(table, tmp_path, monkeypatch):
    for id in list(TABLES):
        monkeypatch.delitem(TABLES, id)
    monkeypatch.setitem(TABLES, table.id, table)
    store = Store(tmp_path / "kept")
    run_table(table, store)
    page = tmp_path / "pages" / f"{table.id}.md"
    write_results(store, page.parent)
    assert "![" not in page.read_text(encoding="utf-8")
    (page.parent / "images").mkdir(exist_ok=True)
    (page.parent / "images" / f"{table.id}.svg").write_text("<svg/>")
    write_results(store, page.parent)
    assert f"](images/{table.id}.svg)" in page.read_text(encoding="utf-8")


def test_lines_below_the_picture(tmp_path):
    drawing = Drawing("x-fig1", "A line", "Drawn.", lambda figure: ["Below."])
    assert write_drawing(drawing, tmp_path).read_text(encoding="utf-8").endswith("svg)\n\nBelow.\n")
    assert drawing.missing() == ""


def test_the_index_lists_drawings_that_no_table_stands_for(tmp_path, monkeypatch):
    for id in list(TABLES):
        monkeypatch.delitem(TABLES, id)
    write_drawing(Drawing("x-fig1", "A line", "Drawn.", lambda figure: []), tmp_path)
    (tmp_path / "own.md").write_text("")
    write_results(Store(tmp_path / "kept"), tmp_path)
    index = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "| [x-fig1](x-fig1.md) | A line |" in index
    assert "own" not in index
