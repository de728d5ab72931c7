"""The built site loads nothing from another host."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc=["']?(?:https?:)?//[^"'>]+"""
    r"""|<link\b[^>]*\bhref=["']?(?:https?:)?//[^"'>]+"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//[^"')]+"""
    r"""|url\(["']?(?:https?:)?//[^"')]+"""
)


def test_pages_load_nothing_from_other_hosts(tmp_path):
    site = tmp_path / "site"
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(site)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    pages = [*site.rglob("*.html"), *site.rglob("*.css")]
    assert len(pages) > 20
    found = {hit for page in pages for hit in LOADED.findall(page.read_text(encoding="utf-8"))}
    assert not found
