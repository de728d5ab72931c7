"""The commands of the guide run."""

import json
import random
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
    write_answers(tmp_path)
    return tmp_path


def write_answers(folder):
    """Write scores of two labels, gold labels of the first rows, and scores of new rows."""
    rng = random.Random(0)
    labels = ("sea", "sun")
    truth = [[name for name in labels if rng.random() < 0.5] for _ in range(50)]
    answers = [
        {"id": i, "scores": {n: 0.3 + 0.4 * (n in tags) + 0.2 * rng.random() for n in labels}}
        for i, tags in enumerate(truth)
    ]
    gold = [{"id": i, "labels": tags} for i, tags in enumerate(truth)]
    for name, rows in (("scores", answers[:40]), ("gold", gold[:40]), ("new", answers[40:])):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))


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
