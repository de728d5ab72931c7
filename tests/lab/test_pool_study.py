"""The study of the parts of LabelSetClassifier."""

import pytest
from lab.studies.defaults import pool

from toy_files import toy, write_arff, write_xml


@pytest.mark.parametrize(("study", "n_lines"), [("forests", 3), ("layers", 3), ("weights", 5)])
def test_every_variant_is_measured(study, n_lines, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("labelfield.auto.plan.N_TREES", 3)
    monkeypatch.setattr(pool, "MANY_TREES", 4)
    write_arff(tmp_path / "shore.arff", *toy(90, 0))
    write_xml(tmp_path / "shore.xml")
    pool.main([study, str(tmp_path), "--parts", "1", "--rows", "50"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == n_lines
    assert all("exact match" in line and line.endswith("CPU s") for line in lines)
