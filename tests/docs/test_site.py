"""The built site: nothing from another host, an entry for everything public, formulas drawn."""

import fcntl
import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import labelfield

ROOT = Path(__file__).parents[2]
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*\b(?:src|data)=["']?(?:https?:)?//[^"'>]+"""
    r"""|<link\b(?![^>]*rel="?canonical)[^>]*\bhref=["']?(?:https?:)?//[^"'>]+"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//[^"')]+"""
    r"""|url\(["']?(?:https?:)?//[^"')]+"""
)
MODULES = [
    "calibrate",
    "datasets",
    "decode",
    "display",
    "encode",
    "evaluation",
    "io",
    "joints",
    "label_graph",
    "metrics",
    "model_selection",
    "promise",
    "report",
    "restore",
    "rules",
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the files of the site, built by the first worker that asks for them."""
    room = tmp_path_factory.getbasetemp()
    room = room.parent if "PYTEST_XDIST_WORKER" in os.environ else room
    folder, built = room / "site", room / "site-is-built"
    with open(room / "site-lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            _build(folder)
            built.touch()
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.*")}


def _build(folder):
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    settings = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(build, cwd=ROOT, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def pages(site):
    return {
        name: path.read_text(encoding="utf-8")
        for name, path in site.items()
        if name.endswith(".html")
    }


def test_pages_load_nothing_from_other_hosts(site, pages):
    styles = {n: p.read_text(encoding="utf-8") for n, p in site.items() if n.endswith(".css")}
    assert len(pages) > 50
    found = {hit for text in [*pages.values(), *styles.values()] for hit in LOADED.findall(text)}
    assert not found


def test_no_page_wakes_what_the_theme_would_fetch(pages):
    # Its script loads diagrams and facts about a repository from elsewhere, where a page has any.
    for text in pages.values():
        assert not re.search(r'class="mermaid|data-md-component="source"|__consent', text)


@pytest.mark.parametrize(
    "markup",
    [
        '<script src="https://host/a.js">',
        "<img alt=x src=//host/a.png>",
        '<link rel="stylesheet" href="https://host/a.css">',
        "@import url(https://host/a.css)",
        "src: url('//host/font.woff2')",
    ],
)
def test_other_hosts_would_be_found(markup):
    assert LOADED.search(markup)
    assert not LOADED.search(re.sub("(https:)?//host/", "assets/", markup))


def public_objects():
    for name in labelfield.__all__:
        yield name, getattr(labelfield, name)
    for home in MODULES:
        module = importlib.import_module(f"labelfield.{home}")
        for name in module.__all__:
            if not name.isupper():
                yield name, getattr(module, name)


def own_methods(item):
    """Return (class, method) for every public method that a class has or inherits from us."""
    return {
        (base.__name__, name)
        for base in (inspect.getmro(item) if inspect.isclass(item) else ())
        if base.__module__.startswith("labelfield.")
        for name, member in vars(base).items()
        if not name.startswith("_") and callable(member)
    }


def test_everything_public_has_an_entry_and_its_source(pages):
    reference = "".join(text for name, text in pages.items() if name.startswith("reference/"))
    entries = re.findall(r'id="(labelfield\.[\w.]+)"', reference)
    entries = {tuple(entry.rsplit(".", 2)[1:]) for entry in entries}
    items = dict(public_objects())
    methods = set().union(*(own_methods(item) for item in items.values()))
    assert not items.keys() - {name for _, name in entries}
    assert not methods - entries
    assert reference.count("Source code in <code>src/labelfield/") >= len(methods)


def test_formulas_are_drawn(pages):
    methods = {name: text for name, text in pages.items() if name.startswith("methods/")}
    assert sum(text.count("<math ") for text in methods.values()) > 100
    for name, text in methods.items():
        assert "arithmatex" not in text, name
        assert "<merror" not in text, name


def test_lists_and_tables_do_not_run_into_each_other(pages):
    # Markdown takes a list right below a table for its last rows, and a table right below a line
    # for more of that line.
    glued = re.compile(r"<td>[-*] |<p>[^<]*\n\|")
    assert not [name for name, text in pages.items() if glued.search(text)]


def test_search_works_without_a_server(site):
    assert site["search/search_index.js"].read_text(encoding="utf-8").startswith("var __index = {")
    assert "assets/iframe-worker.js" in site
