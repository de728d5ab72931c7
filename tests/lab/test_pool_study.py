"""The study of the parts of LabelSetClassifier."""

import pytest
from lab.studies.defaults import pool, pool_confidence, pool_gate

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


@pytest.mark.parametrize(("study", "n_lines"), [(pool_gate, 6), (pool_confidence, 5)])
def test_gates_and_confidence_are_measured(study, n_lines, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("labelfield.auto.plan.N_TREES", 3)
    write_arff(tmp_path / "shore-train.arff", *toy(90, 0))
    write_arff(tmp_path / "shore-test.arff", *toy(20, 1))
    write_xml(tmp_path / "shore.xml")
    study.main([str(tmp_path), "--rows", "60", "--standard"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == n_lines
    assert all("exact match" in line and "by chance" in line for line in lines)
