"""The study of the parts of LabelSetClassifier."""

import numpy as np
import pytest
from lab.studies.defaults import pool, pool_confidence, pool_gate, pool_marginals

from labelfield.joints import SupportJoint
from toy_files import toy, write_arff, write_xml

LINES = {"forests": 3, "layers": len(pool.CHANGED), "weights": len(pool.PSEUDO_ROWS) + 1}


@pytest.mark.parametrize(("study", "n_lines"), LINES.items())
def test_every_variant_is_measured(study, n_lines, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("labelfield.auto.plan.N_TREES", 3)
    monkeypatch.setattr(pool, "MANY_TREES", 4)
    write_arff(tmp_path / "shore.arff", *toy(90, 0))
    write_xml(tmp_path / "shore.xml")
    pool.main([study, str(tmp_path), "--parts", "1", "--rows", "50"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == n_lines
    assert all("exact match" in line and line.endswith("CPU s") for line in lines)


def write_parts(folder):
    write_arff(folder / "shore-train.arff", *toy(90, 0))
    write_arff(folder / "shore-test.arff", *toy(20, 1))
    write_xml(folder / "shore.xml")


def test_gates_are_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("labelfield.auto.plan.N_TREES", 3)
    write_parts(tmp_path)
    pool.compare_folders("", [str(tmp_path), "--rows", "60", "--standard"], pool_gate.compare)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert all("exact match" in line and "by chance" in line for line in lines)


def test_confidence_is_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("labelfield.auto.plan.N_TREES", 3)
    write_parts(tmp_path)
    pool_confidence.main([str(tmp_path), "--rows", "60", "--standard"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 7
    assert all("exact match" in line and "by chance" in line for line in lines)


def test_shifted_labels_are_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("labelfield.auto.plan.N_TREES", 3)
    write_arff(tmp_path / "shore.arff", *toy(90, 0))
    write_xml(tmp_path / "shore.xml")
    pool.compare_folders("", [str(tmp_path), "--rows", "60"], pool_marginals.compare)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 * 3  # the pool, its sets and those of the forest


def test_shifts_make_means_of_labels_right():
    """At the best shifts without a penalty, expected and true numbers of labels agree."""
    rng = np.random.default_rng(0)
    sets = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    joint = SupportJoint(sets, np.log(rng.dirichlet(np.ones(4), size=400)))
    Y = sets[rng.integers(4, size=400)] * np.array([1, 0], dtype=np.uint8)
    Y[:50, 1] = 1
    t = pool_marginals.shifts_of([joint], [Y], alpha=1e-6)
    found = joint.tilt(np.tile(t, (400, 1))).marginals().mean(axis=0)
    np.testing.assert_allclose(found, Y.mean(axis=0), atol=1e-3)
