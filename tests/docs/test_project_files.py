"""News fragments, the citation and the package agree."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import labelfield

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FRAGMENTS = sorted(path.name for path in (ROOT / "changes").glob("*.md"))


@pytest.mark.parametrize("name", [name for name in FRAGMENTS if name != "README.md"])
def test_fragments_are_named_so_that_towncrier_finds_them(name):
    kinds = "|".join(kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"])
    assert re.fullmatch(rf"[a-z0-9-]+\.({kinds})\.md", name)


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == labelfield.__version__
    assert "version" in PROJECT["project"]["dynamic"]
    assert citation["license"] == PROJECT["project"]["license"]


def test_the_source_archive_holds_the_project_files():
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for name in ("CHANGELOG.md", "CITATION.cff", "SECURITY.md"):
        assert name in included
        assert (ROOT / name).is_file()
