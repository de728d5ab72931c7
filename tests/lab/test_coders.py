"""The study of coders on a few made texts."""

import gzip

import numpy as np
import pytest
from lab.studies.trust.coders import overlap_rates, read_coders


def test_six_lines_are_one_text(tmp_path):
    lines = ["text_id,text,emotion,Annotator-1,Annotator-2"]
    lines += ['1,"rain, again",Joy,0,0', "1,rain,Sad,2,0.0", "2,sun,Joy,3,1", "2,sun,Sad,,0"]
    path = tmp_path / "coders.csv.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    texts, seen = read_coders(path)
    assert texts == ["rain, again", "sun"]
    assert seen.astype(int).tolist() == [[[0, 0], [1, 0]], [[1, 1], [0, 0]]]


def test_rates_are_counted_coder_by_coder():
    sets = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [1, 0], [0, 0]], dtype=bool)
    right = np.array([True, True, False, False, True, False])
    first = np.array([[1, 0], [0, 0], [1, 0], [0, 0], [1, 0], [1, 1]], dtype=bool)
    second = np.array([[1, 0], [1, 0], [0, 0], [0, 0], [1, 0], [1, 1]], dtype=bool)
    rates = overlap_rates(sets, right, np.stack([first, second], axis=2))
    assert rates == [pytest.approx((1 / 3, 1 / 3)), pytest.approx((0.0, 0.0))]
