"""Code blocks of the README and the docs run, page by page."""

import re
import sys
from pathlib import Path
from types import ModuleType

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

mpl.use("agg")
ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    if page.parent.name != "gallery"  # pages written from scripts, see test_gallery.py
]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks_of(page):
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [p for p in PAGES if blocks_of(p)], ids=lambda p: p.stem)
def test_code_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = ModuleType(f"page_{page.stem.replace('-', '_')}")  # so that its classes can be pickled
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for block in blocks_of(page):
        exec(compile(block, str(page.relative_to(ROOT)), "exec"), vars(module))
    plt.close("all")
