"""The study of further base learners of LabelSetClassifier."""

import numpy as np
import pytest
from lab.studies.defaults import pool_bases

from toy_files import toy, write_arff, write_xml


def test_every_candidate_is_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("labelfield.auto.plan.N_TREES", 3)
    monkeypatch.setattr(pool_bases, "N_TREES", 3)
    write_arff(tmp_path / "shore.arff", *toy(90, 0))
    write_xml(tmp_path / "shore.xml")
    names = [name for name in pool_bases.CANDIDATES if not name.startswith("boosted")]
    pool_bases.main([str(tmp_path), "--rows", "50", "--bases", ",".join([*names, "boosted-sets"])])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + len(names) + 1
    assert all("exact match" in line and line.endswith("CPU s") for line in lines)


@pytest.mark.parametrize("name", ["neighbours", "boosted-sets"])
def test_scores_of_sets_are_learned_without_the_fold(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    Y = np.repeat((X > 0).astype(np.uint8), 2, axis=1)
    data, _, _ = pool_bases.learned_bases(X, Y)
    scores = pool_bases.CANDIDATES[name]().hold_out(data)
    best = data.listed.sets[scores.of_sets.argmax(axis=1)]
    assert (best == Y).all(axis=1).mean() > 0.5
    assert ((scores.log_odds > 0) == Y).mean() > 0.7
