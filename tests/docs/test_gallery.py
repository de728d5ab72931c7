"""The pages of the gallery are what their scripts print and draw, up to the last digits."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "docs" / "gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def writer():
    return runpy.run_path(str(ROOT / "scripts" / "write_gallery.py"))


def written_page(script):
    return (GALLERY / f"{script.stem.replace('_', '-')}.md").read_text(encoding="utf-8")


def unlike(stored, fresh):
    """Return where two pages differ by more than rounding and the odd row: text, or numbers."""
    texts = [[" ".join(part.split()) for part in NUMBER.split(text)] for text in (stored, fresh)]
    if texts[0] != texts[1]:
        return "the text between the numbers differs"
    pairs = zip(NUMBER.findall(stored), NUMBER.findall(fresh))
    return [(a, b) for a, b in pairs if abs(float(a) - float(b)) > tolerance(a)]


def tolerance(number):
    """Two units of the last digit, or a twentieth: other BLAS kernels turn a row or two."""
    decimals = len(number.partition(".")[2])
    return max(2.0 * 10.0**-decimals, 0.05 * abs(float(number)))


def test_numbers_and_texts_that_differ_are_found():
    assert unlike("match 0.52 of 600", "match 0.53 of 601") == []
    assert unlike("match 0.52 of 600", "match 0.58 of 600") == [("0.52", "0.58")]
    assert unlike("match 0.52", "match -0.52") == [("0.52", "-0.52")]
    assert unlike("match 0.52", "Match 0.52")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_page_is_what_its_script_prints(script, writer, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="the gallery draws: pip install 'labelfield[viz]'")
    monkeypatch.chdir(tmp_path)
    fresh = writer["page"](script, tmp_path)
    assert not unlike(written_page(script), fresh), "run python scripts/write_gallery.py"
    drawn = {path.name for path in tmp_path.glob("*.svg")}
    stored = GALLERY.joinpath("images").glob(f"{script.stem.replace('_', '-')}-[0-9]*.svg")
    assert drawn == {path.name for path in stored}


def test_the_index_is_of_the_stored_pages(writer):
    pages = {script.stem: written_page(script) for script in SCRIPTS}
    assert (GALLERY / "index.md").read_text(encoding="utf-8") == writer["index"](pages)


def test_every_page_has_a_script():
    pages = {path.stem.replace("-", "_") for path in GALLERY.glob("*.md")} - {"index"}
    assert pages == {script.stem for script in SCRIPTS}
