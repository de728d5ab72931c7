"""The page in a real browser: it loads without errors and its script does what it says."""

import json
import re
import shutil
import subprocess
from html import escape, unescape

import numpy as np
import pytest

from labelfield.report import build_report, render_html, write_report
from labelfield.report.html import SECTIONS

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--enable-logging=stderr",
    "--virtual-time-budget=3000",
    "--dump-dom",
]

pytestmark = pytest.mark.skipif(BROWSER is None, reason="chromium is not installed")

PROBE = """
<script>
const seen = {};
const graph = document.querySelector("svg.graph");
const slider = document.querySelector(".graph-box input");
const circles = () => graph.querySelectorAll(".node:not(.off)").length;
const links = () => graph.querySelectorAll(".link:not(.off)").length;
const move = (value) => { slider.value = value; slider.dispatchEvent(new Event("input")); };
seen.start = [links(), circles()];
move(slider.min);
seen.all = [links(), circles()];
move(slider.max);
seen.strongest = [links(), circles(), document.querySelector(".graph-box output").textContent];
const node = graph.querySelector(".node:not(.alone):not(.off)");
node.dispatchEvent(new PointerEvent("pointerenter"));
seen.near = graph.querySelectorAll(".node.near").length;
seen.links = document.querySelector(".graph-box .readout").textContent;
node.dispatchEvent(new PointerEvent("pointerleave"));
seen.forgotten = graph.querySelectorAll(".near").length;
const column = [...document.querySelectorAll("#labels-table thead th")][5];
const rows = (which) => [...document.querySelectorAll(`#labels-table tbody tr${which}`)];
const values = () => rows("").map((row) => Number(row.cells[5].dataset.value));
column.click();
seen.falling = values();
column.click();
seen.rising = values();
const search = document.querySelector("[data-filter]");
search.value = "LABEL 7";
search.dispatchEvent(new Event("input"));
seen.found = rows(":not([hidden])").map((row) => row.cells[0].textContent);
const map = document.querySelector("svg.heatmap");
const box = map.getBoundingClientRect();
const scale = box.width / map.viewBox.baseVal.width;
const at = (row, column) => ({
  clientX: box.x + scale * (Number(map.dataset.margin) + (column + .5) * Number(map.dataset.cell)),
  clientY: box.y + scale * (Number(map.dataset.margin) + (row + .5) * Number(map.dataset.cell)),
});
map.dispatchEvent(new PointerEvent("pointermove", at(2, 1)));
seen.cell = map.parentElement.querySelector(".readout").textContent;
const page = () => getComputedStyle(document.body).backgroundColor;
const before = page();
document.getElementById("theme").click();
seen.turned = before !== page();
document.getElementById("theme").click();
seen.back = before === page();
document.documentElement.dataset.seen = JSON.stringify(seen);
</script>
"""


def visit(path, tmp_path):
    """Return the page after its script ran, and the errors the browser wrote down."""
    done = subprocess.run(
        [BROWSER, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=90,
        check=True,
    )
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_the_page_loads_and_hostile_names_do_nothing(summary, tmp_path):
    names = ["<script>document.documentElement.dataset.hacked = 1</script>"] + [
        f'"><img src=x onerror="document.documentElement.dataset.hacked = {k}">' for k in range(4)
    ]
    hostile = json.loads(json.dumps(summary).replace('quote\\"s', json.dumps(names[0])[1:-1]))
    hostile["graph"]["names"] = names
    dom, errors = visit(write_report(hostile, tmp_path / "report.html"), tmp_path)
    assert not errors
    assert 'data-ready="yes"' in dom
    assert not re.search(r"<html[^>]*data-hacked", dom)
    for key in ("overview", *SECTIONS):
        assert f'id="{key}"' in dom
    assert re.search(r'data-visible-links="\d+"', dom)


@pytest.fixture(scope="module")
def many_labels():
    rng = np.random.default_rng(0)
    topic = rng.integers(0, 8, 300)
    Y = rng.random((300, 30)) < 0.03 + 0.6 * (np.arange(30) % 8 == topic[:, None])
    return build_report(Y, Y ^ (rng.random(Y.shape) < 0.02), confidence=rng.random(300))


def test_slider_hover_sort_search_and_theme(many_labels, tmp_path):
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", render_html(many_labels))
    path = tmp_path / "probed.html"
    path.write_text(page.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    dom, errors = visit(path, tmp_path)
    assert not errors
    seen = json.loads(unescape(re.search(r'data-seen="([^"]*)"', dom)[1]))
    graph = many_labels["graph"]
    shown = [link for link in graph["links"] if abs(link[2]) >= graph["threshold"]]
    assert seen["start"] == [len(shown), len({end for link in shown for end in link[:2]})]
    assert seen["all"][0] == len(graph["links"])
    assert seen["strongest"][0] in (1, 2)
    assert float(seen["strongest"][2]) == pytest.approx(abs(graph["links"][0][2]), abs=0.01)
    assert seen["near"] >= 2
    assert seen["forgotten"] == 0
    assert re.match(r"label \d+: label \d+ [+\u2212]0\.\d\d", seen["links"])
    assert seen["falling"] == sorted(seen["falling"], reverse=True)
    assert seen["rising"] == sorted(seen["rising"])
    assert seen["found"] == ["label 7"]
    co_occurrence = many_labels["data"]["co_occurrence"]
    row, column = co_occurrence["names"][2], co_occurrence["names"][1]
    share = 100 * co_occurrence["given"][2][1]
    assert seen["cell"] == f"Of the rows with {row}, {share:.1f} % also have {column}."
    assert seen["turned"]
    assert seen["back"]


def test_a_foreign_script_is_refused_and_reported(summary, tmp_path):
    foreign = "<script>document.documentElement.dataset.hacked = 1</script></body>"
    path = tmp_path / "foreign.html"
    path.write_text(render_html(summary).replace("</body>", foreign), encoding="utf-8")
    dom, errors = visit(path, tmp_path)
    assert 'data-ready="yes"' in dom
    assert not re.search(r"<html[^>]*data-hacked", dom)
    assert "Content Security Policy" in " ".join(errors)


WIDTHS = """
<script>
const page = document.documentElement;
const wide = [...document.querySelectorAll("table, svg")].filter((part) => {
  const box = part.parentElement;
  return part.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX === "visible";
});
parent.document.documentElement.dataset.seen = JSON.stringify({
  frame: innerWidth, page: page.clientWidth, content: page.scrollWidth, wide: wide.length,
  names: getComputedStyle(document.querySelector("#labels-table tbody th")).position,
});
</script>
"""


@pytest.mark.parametrize("width", [400, 1200])
def test_long_names_do_not_widen_the_page(width, tmp_path):
    rng = np.random.default_rng(0)
    Y = rng.random((60, 4)) < 0.4
    names = ["W" * 90, "x_" * 40, "two words", "short"]
    summary = build_report(
        Y,
        Y ^ (rng.random(Y.shape) < 0.1),
        confidence=rng.random(60),
        label_names=names,
        model="M" * 90,
        dataset="D" * 90,
        comparison={"mean": {"m" * 90: {"e" * 90: 0.5}, "other": {"e" * 90: 0.4}}},
        rules={"r" * 90: lambda Y: Y[:, 0]},
        row_ids=["i" * 90] * 60,
        notes=["n" * 90],
    )
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", render_html(summary))
    # a browser window has a least width, a frame has none
    framed = escape(page.replace("</body>", WIDTHS + "</body>"))
    path = tmp_path / "framed.html"
    path.write_text(f'<iframe width="{width}" srcdoc="{framed}"></iframe>', encoding="utf-8")
    dom, errors = visit(path, tmp_path)
    assert not errors
    seen = json.loads(unescape(re.search(r'data-seen="([^"]*)"', dom)[1]))
    assert seen["frame"] == width
    assert seen["content"] <= seen["page"] <= width
    assert seen["wide"] == 0
    assert seen["names"] == ("sticky" if width == 400 else "static")  # stay while columns scroll
