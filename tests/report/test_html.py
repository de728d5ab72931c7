"""The page: whole, inert against hostile names, free of requests, written atomically."""

import copy
import hashlib
import re
from base64 import b64encode
from html.parser import HTMLParser

import numpy as np
import pytest

from labelfield.report import build_report, render_html, write_report
from labelfield.report.sections import SECTIONS

VOID = {"meta", "input", "img", "br", "hr"}


class Outline(HTMLParser):
    """Checks nesting; keeps elements, identifiers and texts."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.ids, self.text = [], [], [], ""
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        self.ids += [value for key, value in attributes if key == "id"]
        if name not in VOID:
            self.open.append(name)

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text += data


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
    assert f"script-src &#x27;sha256-{digest}&#x27;" in policy
    assert policy.startswith("default-src &#x27;none&#x27;")


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
    assert not {"comparison", "confidence", "rules"} & set(outline.ids)
    assert "states no confidence" in outline.text


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
    with pytest.raises(KeyError):
        write_report(broken, target)
    assert target.read_text(encoding="utf-8") == before
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_missing_folder_is_named(summary, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write_report(summary, tmp_path / "nowhere" / "report.html")
