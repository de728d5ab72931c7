"""The page: whole, inert against hostile names, free of requests, written atomically."""

import copy
import hashlib
import json
import re
from base64 import b64encode
from html import unescape

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markupsafe import escape

from labelfield.report import build_report, render_html, write_report
from labelfield.report.html import SECTIONS
from page_outline import Outline


@pytest.fixture(scope="module")
def page(summary):
    return render_html(summary)


def test_all_sections_are_there_once(page):
    outline = Outline(page)
    assert len(outline.ids) == len(set(outline.ids))
    assert {"overview", *SECTIONS} <= set(outline.ids)
    links = {attributes["href"] for name, attributes in outline.elements if name == "a"}
    assert links == {f"#{key}" for key in SECTIONS}


def test_the_page_says_what_the_summary_says(page, summary):
    text = Outline(page).text
    for said in (
        summary["automation"]["sentence"],
        summary["automation"]["detail"],
        summary["reliability"]["sentence"],
        "holiday <photos>",
        "Made up & small.",
        "<script>alert(1)</script>",
        "a beach needs sun",
        "<trees>",
        "0.625",
    ):
        assert said in text


def test_hostile_names_stay_text(names, answers):
    hostile = '</script></style></title>"><img src=x onerror=alert(1)>\n<svg onload=alert(1)>'
    plain = build_report(**answers, comparison={"mean": {"m": {"f1_micro": 0.5}}})
    poisoned = poison(copy.deepcopy(plain), hostile)

    def shape(summary):
        elements = Outline(render_html(summary)).elements
        return [(name, sorted(attributes)) for name, attributes in elements]

    assert shape(poisoned) == shape(plain)


def poison(part, text):
    """Put the text into every string of a summary."""
    if isinstance(part, dict):
        return {key: poison(value, text) for key, value in part.items()}
    if isinstance(part, list):
        return [poison(value, text) for value in part]
    return f"{part}{text}" if isinstance(part, str) else part


@settings(deadline=None, max_examples=25)
@given(
    st.text(
        alphabet=st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=12
    )
)
def test_a_parser_reads_back_the_names(name):
    Y = np.array([[1, 0], [1, 1], [0, 1]])
    names = [f"({name})", f"[{name}]"]
    summary = build_report(Y, Y, confidence=[0.9, 0.8, 0.7], label_names=names, dataset=name)
    outline = Outline(render_html(summary))
    assert f"({name})" in outline.text
    assert name in outline.text
    attributes = [part for _, part in outline.elements]
    assert [part["aria-label"] for part in attributes if "data-node" in part] == names
    [encoded] = [part["data-names"] for part in attributes if "data-names" in part]
    assert json.loads(encoded) == names


def test_nothing_is_fetched(page):
    outline = Outline(page)
    for name, attributes in outline.elements:
        assert name not in {"link", "iframe", "object", "embed", "base", "form"}
        assert not attributes.get("src", "data:image/png").partition("data:image/")[0]
        assert not [key for key in attributes if key.startswith("on")]
        assert attributes.get("href", "#").startswith("#")
    assert "http://" not in page
    assert "https://" not in page
    assert "@import" not in page
    assert "url(" not in page


def test_the_policy_allows_this_script_and_no_other(page):
    [script] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert f"script-src 'sha256-{digest}'" in unescape(policy)
    assert unescape(policy).startswith("default-src 'none'")


def test_every_picture_has_a_name(page):
    for name, attributes in Outline(page).elements:
        if name == "svg":
            assert attributes["aria-label"]
        if name == "img":
            assert attributes["alt"]


def test_the_same_summary_gives_the_same_page(summary, page):
    assert render_html(summary) == page


@pytest.mark.parametrize("L", [1, 2, 40])
def test_a_page_without_the_optional_parts(L):
    Y = np.random.default_rng(0).random((30, L)) < 0.3
    outline = Outline(render_html(build_report(Y, Y)))
    assert {"data", "labels", "sets"} <= set(outline.ids)
    assert not {"comparison", "confidence", "leaderboard", "rules"} & set(outline.ids)
    assert "states no confidence" in outline.text


def test_a_section_without_content_is_left_out():
    """Everything right and no confidence: no row is worth looking at."""
    Y = np.eye(3, dtype=int)
    outline = Outline(render_html(build_report(Y, Y)))
    assert "examples" not in outline.ids
    assert "#examples" not in {attributes.get("href") for _, attributes in outline.elements}


def test_what_the_cells_show_and_sort_by(summary, page):
    """Numbers on the page are those of the summary, rounded; the script sorts by exact ones."""
    rows = re.findall(r"<tr>(.*?)</tr>", page[page.index('id="labels-table"') :], re.DOTALL)
    labels = sorted(summary["labels"], key=lambda label: -label["support"])
    for label, row in zip(labels, rows[1:], strict=False):
        assert f'<th scope="row">{escape(label["name"])}</th>' in row
        values = [float(value) for value in re.findall(r'data-value="([^"]*)"', row)]
        measures = [label[key] for key in ("precision", "recall", "f1", "auc")]
        assert values == pytest.approx([label["support"], label["predicted"], *measures], rel=1e-5)
        shown = [float(text) for text in re.findall(r"</span></span>([\d.]+)</span>", row)]
        assert shown == pytest.approx(measures, abs=0.00051)
        widths = [float(width) for width in re.findall(r"width:([\d.]+)%", row)]
        assert widths == pytest.approx([100 * measure for measure in measures], abs=0.051)


def test_measures_without_a_value_are_dashes():
    Y = np.array([[1, 0], [1, 0]])
    page = render_html(build_report(Y, Y))
    assert '<td class="number" data-value="-1">–</td>' in page


def test_missed_and_added_labels_are_marked():
    summary = build_report([[1, 0]], [[0, 1]], label_names=["sun", "snow"])
    page = render_html(summary)
    assert '<span class="chip added">+ snow</span>' in page
    assert '<span class="chip missed" title="missed"><s>sun</s></span>' in page
    assert "1 wrong" not in page
    assert "✗ 2 wrong" in page


def test_an_empty_set_is_said_so():
    assert '<span class="chip none">no label</span>' in render_html(build_report([[0]], [[0]]))


def test_an_unhappy_page():
    """Nothing predicted, nothing right, a label that never occurs."""
    Y = np.array([[1, 0], [1, 0], [1, 0]])
    summary = build_report(Y, np.zeros_like(Y), confidence=[0.2, 0.2, 0.3], marginals=0.5 * Y)
    text = Outline(render_html(summary)).text
    assert "No case can be accepted without review" in text


def test_writing_is_atomic(summary, tmp_path):
    target = tmp_path / "report.html"
    assert write_report(summary, str(target)) == target
    before = target.read_text(encoding="utf-8")
    assert before == render_html(summary)

    broken = {**summary, "labels": [{}]}
    with pytest.raises(UndefinedError, match="name"):
        write_report(broken, target)
    assert target.read_text(encoding="utf-8") == before
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_missing_folder_is_named(summary, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write_report(summary, tmp_path / "nowhere" / "report.html")
