"""Tables of pages: a cell stays one cell and reads as it was written."""

from html import unescape
from re import DOTALL, findall

import pytest
from lab.pages.markdown import escape_cell, render_index

from labelfield._names import visible
from nasty_names import NAMES, NASTY


def row_of(id, title, lacks=(), done=0, total=0, without_data=0):
    counts = {"done": done, "total": total, "without_data": without_data}
    return {"id": id, "title": title, "cells": f"{done}", "lacks": lacks, **counts}


def read(page, tag):
    """Return what stands in the HTML elements of a page of Markdown."""
    markdown = pytest.importorskip("markdown", reason="needs mkdocs to read the page")
    html = markdown.markdown(page, extensions=["tables"])
    return findall(rf"<{tag}>(.*?)</{tag}>", html, DOTALL)


@pytest.mark.parametrize("name", NAMES, ids=list(NASTY))
def test_a_name_stays_in_its_cell(name):
    page = render_index([row_of("x-1", name), row_of("b", "t", ("why",))], with_page={"b"})
    cells = read(page, "td")
    assert len(cells) == 8
    assert cells[0] == "x-1"
    assert cells[4:] == ['<a href="b.md">b</a>', "t", "0", "1"]
    if not any(mark in name for mark in "*[&"):  # emphasis, links and entities still work
        assert unescape(cells[1]) == visible(name.replace("\n", " ").replace("\r", " ")).strip()


def test_reasons_are_told_once():
    rows = [row_of("a", "", ("<x>", "y")), row_of("b", ""), row_of("c", "", ("y",))]
    page = render_index(rows, with_page=set())
    assert read(page, "td")[3::4] == ["1, 2", "", "2"]
    assert read(page, "li") == ["&lt;x&gt;", "y"]


def test_complete_tables_are_counted():
    rows = [
        row_of("a", "complete", done=2, total=2),
        row_of("b", "complete where there are data", done=2, total=3, without_data=1),
        row_of("c", "a cell is missing", done=1, total=3, without_data=1),
        row_of("d", "no data", total=3, without_data=3),
        row_of("e", "no experiment"),
        row_of("own-f", "not of a document", done=2, total=2),
    ]
    page = render_index(rows, with_page=set())
    assert "Of the 3 tables and figures" in page
    assert "computed here 2 are complete" in page


def test_pipes_ticks_breaks_and_tags():
    assert escape_cell("a|b `c` <d>\n  e\\") == r"a\|b \`c\` &lt;d> e" + "\\\\"
