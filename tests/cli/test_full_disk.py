"""A full disk costs the new output, never the old one."""

import pytest

from full_disk import fill_disk

OUTPUTS = {
    "fit": ("out.lf", ["fit", "toy.arff", "--out"]),
    "predict csv": ("out.csv", ["predict", "m.lf", "new.arff", "--out"]),
    "predict parquet": ("out.parquet", ["predict", "m.lf", "new.arff", "--out"]),
    "report": ("out.html", ["report", "m.lf", "new.arff", "--out"]),
    "restore": ("out.csv", ["restore", "toy.csv", "--out"]),
    "compare": ("out.html", ["compare", "toy.arff", "--models", "br", "--cv", 2, "--report"]),
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_force_onto_a_full_disk_keeps_the_old_file(output, folder, run, complaint, monkeypatch):
    name, words = OUTPUTS[output]
    run("fit", "toy.arff", "--out", "m.lf")
    (folder / name).write_text("the old output")
    before = sorted(folder.iterdir())
    fill_disk(monkeypatch)
    assert f"No space left on device: '{name}'" in complaint(*words, name, "--force")
    assert (folder / name).read_text() == "the old output"
    assert sorted(folder.iterdir()) == before
