"""Nasty names on the page: in text, in attributes, in figures and in the data of the script."""

import json

import numpy as np
import pytest

from labelfield._names import visible
from labelfield.report import build_report, render_html, write_report
from nasty_names import NAMES, NASTY
from page_outline import Outline


def summary_of(names, word):
    """A summary of labels with these names, and with a word in every other place for a name."""
    rng = np.random.default_rng(0)
    Y = (rng.random((120, len(names))) < 0.3).astype(int)
    return build_report(
        Y,
        Y ^ (rng.random(Y.shape) < 0.05),
        confidence=rng.random(120),
        label_names=names,
        model=f"m {word}",
        dataset=f"d {word}",
        comparison={"mean": {f"m {word}": {f"e {word}": 0.5}, "other": {f"e {word}": 0.4}}},
        rules={f"r {word}": lambda Y: Y[:, 0]},
        row_ids=[f"i {word}"] * 120,
        notes=[f"n {word}"],
    )


def shown(name):
    return visible(name, keep="\n\t")


def shape(outline):
    return [(name, sorted(attributes)) for name, attributes in outline.elements]


@pytest.fixture(scope="module")
def outline():
    return Outline(render_html(summary_of(NAMES, "plain")))


@pytest.fixture(scope="module")
def plain_shape():
    return shape(Outline(render_html(summary_of(["a", "b"], "plain"))))


def test_every_label_is_on_the_page(outline):
    for name in NAMES:
        assert shown(name) in outline.text


def test_labels_are_whole_in_the_data_of_the_script(outline):
    names = sorted(map(shown, NAMES))
    attributes = [part for _, part in outline.elements]
    assert sorted(part["aria-label"] for part in attributes if "data-node" in part) == names
    [encoded] = [part["data-names"] for part in attributes if "data-names" in part]
    assert sorted(json.loads(encoded)) == names


def test_labels_make_no_elements(outline):
    plain = Outline(render_html(summary_of([f"label {k}" for k in range(len(NAMES))], "plain")))
    assert shape(outline) == shape(plain)


@pytest.mark.parametrize("name", NAMES, ids=list(NASTY))
def test_models_metrics_rules_rows_and_notes(name, plain_shape):
    outline = Outline(render_html(summary_of(["a", "b"], name)))
    for letter in "mdern":
        assert f"{letter} {shown(name)}" in outline.text
    assert shape(outline) == plain_shape


def test_half_a_character_can_be_written(tmp_path):
    """A file name that is not UTF-8 reaches Python as halves of surrogate pairs."""
    summary = build_report([[1]], [[1]], dataset="data\udce9")
    page = write_report(summary, tmp_path / "report.html").read_text(encoding="utf-8")
    assert r"<h1>data\udce9</h1>" in page
