"""Published rows on the real scene data."""

import os

import pytest

from lab import Store, get_table, run_table, summarize

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        not os.path.isdir(os.path.join(os.environ.get("LABELFIELD_DATA", ""), "scene")),
        reason="LABELFIELD_DATA names no folder with the data set scene",
    ),
]


def test_binary_relevance_of_table_3_6_comes_out(tmp_path):
    table = get_table("qli2017-3.6")
    store = Store(tmp_path)
    assert run_table(table, store, methods=["ILRs"])["computed"] == 5
    (column,) = summarize(table, store)["columns"]
    figures = next(row for row in column["rows"] if row["title"] == "ILRs")["figures"]
    tolerance = dict.fromkeys(table.metrics, 0.02) | {"hamming_loss": 0.01}
    for metric in table.metrics:
        found = figures[metric]
        assert found["ours"]["mean"] == pytest.approx(
            found["published"]["mean"], abs=tolerance[metric]
        )
        assert found["mark"] == "within"


def test_power_set_of_table_3_1_comes_out(tmp_path):
    table = get_table("cli2019-3.1")
    store = Store(tmp_path)
    run_table(table, store, columns=["SCENE"], methods=["PowSet"])
    row = next(
        row for row in summarize(table, store)["columns"][0]["rows"] if row["title"] == "PowSet"
    )
    assert row["figures"]["subset_accuracy"]["ours"]["mean"] == pytest.approx(68.1, abs=1.0)
