"""Sketches of training rows."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from labelfield.cli.input import rows
from labelfield.cli.input.rows import seen_share, sketch_rows


def test_rows_are_found_again_in_any_form():
    X = np.random.default_rng(0).normal(size=(50, 6)) * (np.arange(6) % 2)
    sketch = json.loads(json.dumps(sketch_rows(X)))
    for other in (X[::-1], sp.csr_matrix(X), X.astype(object).astype(float)):
        assert seen_share(other, sketch) == 1.0
    assert seen_share(X[:, ::-1], sketch) == 0.0
    assert seen_share(np.vstack([X[:10], X[:30] + 1]), sketch) == 0.25


def test_frames_with_words_and_holes():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"], "c": [1.5, None, 2.5]})
    sketch = sketch_rows(frame)
    assert seen_share(frame.astype({"a": float}), sketch) == 1.0
    assert seen_share(frame.assign(a=["1", "2", "3"]), sketch) == 1.0
    assert seen_share(frame.assign(b=["x", "y", "z"]), sketch) == pytest.approx(2 / 3)


def test_a_sketch_estimates_the_share(monkeypatch):
    monkeypatch.setattr(rows, "KEPT", 500)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3))
    sketch = sketch_rows(X)
    assert len(sketch["kept"]) < 6000
    assert seen_share(X, sketch) == 1.0
    assert seen_share(rng.normal(size=(5000, 3)), sketch) == 0.0
    half = np.vstack([X[:2500], rng.normal(size=(2500, 3))])
    assert seen_share(half, sketch) == pytest.approx(0.5, abs=0.1)
    assert seen_share(np.empty((0, 3)), sketch) == 0.0
