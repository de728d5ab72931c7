"""Tables of pages: a cell stays one cell and reads as it was written."""

from html import unescape
from re import DOTALL, findall

import pytest
from lab.pages.markdown import escape_cell, render_index

from labelfield._names import visible
from nasty_names import NAMES, NASTY


@pytest.mark.parametrize("name", NAMES, ids=list(NASTY))
def test_a_name_stays_in_its_cell(name):
    markdown = pytest.importorskip("markdown", reason="needs mkdocs to read the page")
    rows = [
        {"id": "x-1", "title": name, "cells": "-", "lacks": (name,)},
        {"id": "b", "title": "t", "cells": "s", "lacks": ()},
    ]
    page = render_index(rows, with_page={"b"})
    cells = findall(r"<td>(.*?)</td>", markdown.markdown(page, extensions=["tables"]), DOTALL)
    assert len(cells) == 8
    assert cells[0] == "x-1"
    assert cells[4:] == ['<a href="b.md">b</a>', "t", "s", ""]
    assert cells[1] == cells[3]
    if not any(mark in name for mark in "*[&"):  # emphasis, links and entities still work
        assert unescape(cells[1]) == visible(name.replace("\n", " ").replace("\r", " ")).strip()


def test_pipes_ticks_breaks_and_tags():
    assert escape_cell("a|b `c` <d>\n  e\\") == r"a\|b \`c\` &lt;d> e" + "\\\\"
