"""The commands of the guide run."""

import re
import shlex
from pathlib import Path

import pytest

from toy_files import toy, write_all, write_tickets

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
PAGES = [GUIDE / "command-line.md", GUIDE / "text.md"]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture
def photos(tmp_path, monkeypatch, few_digits):
    monkeypatch.chdir(tmp_path)
    write_all(tmp_path, "photos", *toy(60, seed=0))
    write_tickets(tmp_path / "tickets.csv", 80, seed=0)
    write_tickets(tmp_path / "new-tickets.csv", 20, seed=1)
    return tmp_path


@pytest.mark.parametrize(
    "block",
    [block for page in PAGES for block in BLOCK.findall(page.read_text())],
    ids=lambda text: text.split("\n")[0],
)
def test_commands_of_the_guide(block, photos, run):
    lines = block.strip().splitlines()
    assert lines
    for line in lines:
        prompt, command, *words = shlex.split(line)
        assert (prompt, command) == ("$", "labelfield")
        run(*words)
