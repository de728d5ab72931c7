"""Ours beside the published figures."""

from dataclasses import replace

import numpy as np
import pytest
from lab.pages.markdown import (
    format_figure,
    is_comparison,
    overview,
    render_table,
    write_results,
)
from lab.pages.summary import mark
from lab.published import TABLES
from scipy.stats import ttest_rel

from lab import (
    Column,
    Generated,
    Method,
    Model,
    Published,
    Search,
    Store,
    cells_of,
    run_table,
    summarize,
)

SMALL = Generated("make_multilabel")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


@pytest.mark.parametrize(
    ("ours", "published", "greater", "expected"),
    [
        (0.70, Published(0.72, 0.02), True, "within"),
        (0.69, Published(0.72, 0.02), True, "worse"),
        (0.75, Published(0.72, 0.02), True, "better"),
        (0.75, Published(0.72, 0.02), False, "worse"),
        (0.69, Published(0.72, 0.02), False, "better"),
        (0.7204, Published(0.720), True, "within"),
        (0.7206, Published(0.720), True, "better"),
        (0.7, Published(None), True, None),
        (0.7, Published(0.7, 0.1), None, None),
    ],
)
def test_marks(ours, published, greater, expected):
    assert mark(ours, published, greater_is_better=greater, digits=3) == expected


def test_own_deviation_serves_where_none_is_printed():
    published = Published(0.720)
    arguments = {"greater_is_better": True, "digits": 3}
    assert mark(0.73, published, own_deviation=0.02, **arguments) == "within"
    assert mark(0.73, published, own_deviation=None, **arguments) == "better"


def row(summary, title, column=0):
    return next(one for one in summary["columns"][column]["rows"] if one["title"] == title)


def test_summary_holds_means_deviations_and_marks(table, store):
    run_table(table, store)
    summary = summarize(table, store)
    values = [
        store.read(cell.key)["figures"]["hamming"]["hamming_loss"]
        for cell in cells_of(table, methods=["BR"])
    ]
    found = row(summary, "BR")["figures"]["hamming_loss"]
    assert found["ours"]["mean"] == pytest.approx(np.mean(values))
    assert found["ours"]["deviation"] == pytest.approx(np.std(values, ddof=1))
    assert found["mark"] == "better"
    assert row(summary, "LP")["figures"]["hamming_loss"]["mark"] == "worse"
    assert row(summary, "Later")["cells"] == [0, 0]
    assert row(summary, "Elsewhere")["figures"]["hamming_loss"]["ours"] is None
    assert summary["status"] == "done 6 of 6 cells; lacks no-such-id; no secret: locked away"


def test_percent_tables_show_ours_in_percent(table, store):
    run_table(table, store)
    plain = row(summarize(table, store), "LP")["figures"]["subset_accuracy"]["ours"]
    percent = row(summarize(replace(table, unit=100.0), store), "LP")["figures"]["subset_accuracy"]
    assert percent["ours"]["mean"] == pytest.approx(100 * plain["mean"])


def test_stand_in_data_are_not_judged(table, store):
    stand_in = replace(table.columns[0], comparable=False)
    other = replace(table, columns=(stand_in, *table.columns[1:]))
    run_table(other, store)
    assert row(summarize(other, store), "BR")["figures"]["hamming_loss"]["mark"] == "not comparable"


def test_paired_tests_against_the_reference(table, store):
    run_table(table, store)
    summary = summarize(table, store)
    tests = summary["columns"][0]["tests"]
    assert {test["row"] for test in tests} == {"BR", "BR for sets"}
    one = next(t for t in tests if t["row"] == "BR" and t["metric"] == "hamming_loss")
    values = [
        list(row(summary, title)["figures"]["hamming_loss"]["ours"]["values"].values())
        for title in ("LP", "BR")
    ]
    assert one["t_p"] == pytest.approx(ttest_rel(*values).pvalue)
    assert one["verdict"] == "same"


def test_paired_tests_use_the_repetitions_that_both_rows_have(table, store, drop):
    run_table(table, store)
    (first, *_), (*_, last) = (cells_of(table, methods=[name]) for name in ("BR", "LP"))
    for cell in (first, last):
        drop(store, cell)
    summary = summarize(table, store)
    assert row(summary, "BR")["cells"] == [2, 3]
    # one repetition in common is not enough for a test
    assert summary["columns"][0]["tests"] == []


def test_a_clear_difference_is_called_by_direction(table, store):
    run_table(table, store)
    for name, shift in (("LP", 0.1), ("BR", 0.9)):
        for cell in cells_of(table, methods=[name]):
            record = store.read(cell.key)
            for figures in record["figures"].values():
                figures["hamming_loss"] = shift + 0.001 * cell.repetition**2
            store.write(cell.key, {**record, "figures": record["figures"]})
    tests = summarize(table, store)["columns"][0]["tests"]
    verdicts = {t["verdict"] for t in tests if t["metric"] == "hamming_loss"}
    assert verdicts == {"superior"}
    turned = replace(table, reference="BR")
    tests = summarize(turned, store)["columns"][0]["tests"]
    assert [t["verdict"] for t in tests if t["row"] == "LP" and t["metric"] == "hamming_loss"] == [
        "inferior"
    ]


@pytest.fixture
def comparison(table):
    """The table without published figures, on two data sets."""
    source = replace(table.columns[0].source, parameters={"n_samples": 80, "n_labels": 2})
    return replace(table, columns=(table.columns[0], Column("second", source)), published={})


def test_ranks_over_columns(comparison, store):
    run_table(comparison, store)
    summary = summarize(comparison, store)
    ranks = summary["ranks"]["hamming_loss"]
    assert ranks["columns"] == 2
    means = np.array(
        [
            [
                row(summary, t, c)["figures"]["hamming_loss"]["ours"]["mean"]
                for t in ranks["average"]
            ]
            for c in (0, 1)
        ]
    )
    by_hand = [[1 + sum(other < one for other in line) for one in line] for line in means]
    ties = [[(line == one).sum() for one in line] for line in means]
    expected = np.mean(np.array(by_hand) + (np.array(ties) - 1) / 2, axis=0)
    np.testing.assert_allclose(list(ranks["average"].values()), expected)


def test_ranks_leave_out_unfinished_columns(comparison, store, drop):
    sources = [replace(SMALL, parameters={"n_samples": n, "n_labels": 2}) for n in (60, 70, 80)]
    columns = tuple(Column(f"data {k}", source) for k, source in enumerate(sources))
    three = replace(comparison, columns=columns)
    run_table(three, store)
    assert summarize(three, store)["ranks"]["hamming_loss"]["columns"] == 3
    for cell in cells_of(three, columns=["data 2"], methods=["LP"]):
        drop(store, cell)
    ranks = summarize(three, store)["ranks"]["hamming_loss"]
    assert (ranks["columns"], set(ranks["average"])) == (2, {"BR", "BR for sets", "LP"})
    for cell in cells_of(three, columns=["data 1"], methods=["LP"]):
        drop(store, cell)
    ranks = summarize(three, store)["ranks"]["hamming_loss"]
    assert (ranks["columns"], set(ranks["average"])) == (3, {"BR", "BR for sets"})


def test_comparison_without_print_has_an_overview(comparison, table, store):
    run_table(comparison, store)
    summary = summarize(comparison, store)
    assert is_comparison(summary)
    heading, lines = overview(summary, "hamming_loss")
    assert heading == ["", "BR", "BR for sets", "LP", "Later", "Elsewhere"]
    assert [line[0] for line in lines] == ["small", "second", "average rank (2 data sets)"]
    assert lines[1][3] == format_figure(row(summary, "LP", 1)["figures"]["hamming_loss"], 3)
    ranks = summary["ranks"]["hamming_loss"]["average"]
    assert lines[2][1:] == [*(f"{ranks[title]:.2f}" for title in heading[1:4]), "-", "-"]
    assert f"| {' | '.join(lines[2])} |" in render_table(summary)
    assert not is_comparison(summarize(table, store))


def test_page_shows_ours_and_the_print(table, store):
    run_table(table, store)
    summary = summarize(table, store)
    page = render_table(summary)
    br = row(summary, "BR")["figures"]["hamming_loss"]["ours"]
    assert f"{br['mean']:.3f} ± {br['deviation']:.3f} ▲ (0.900 ± 0.100)" in page
    assert "| Elsewhere | (0.500) | - | - |" in page
    assert "(unreadable)" in page
    assert "LP against each row, paired t-test at 5 %" in page


def test_strengths_at_the_end_of_their_grid_are_named(table, store):
    search = Search({"alpha": (1e3, 1e4, 1e5), "max_iter": (50, 100)}, "hamming_loss", folds=2)
    narrow = Method("BR, too strong", Model("br"), search=search)
    searched = replace(table, methods=(*table.methods, narrow))
    run_table(searched, store)
    cells = cells_of(searched, methods=[narrow.title])
    low = sum(store.read(cell.key)["chosen"]["alpha"] == 1e3 for cell in cells)
    assert low > 0
    told = f"alpha 1000 in {low} of 3 cells"
    assert told in row(summarize(searched, store), narrow.title)["at_ends"]
    page = render_table(summarize(searched, store))
    # a list of its own, not one more row of the table above it
    assert f"|\n\n- BR, too strong chose the end of its grid: {told}" in page
    assert "LP chose" not in page


def test_results_are_written_for_tables_with_cells_only(tmp_path, table, store, monkeypatch):
    run_table(table, store, methods=["LP"])
    monkeypatch.setitem(TABLES, table.id, table)
    paths = write_results(store, tmp_path / "docs")
    assert [path.name for path in paths] == ["index.md", "999-1.md"]
    index = paths[0].read_text(encoding="utf-8")
    assert "[999-1](999-1.md)" in index
    assert f"{len(list(store))} cells are stored" in index
    for id in TABLES:
        assert f"| {id} |" in index or id == table.id


def test_a_figure_is_drawn_on_its_page(tmp_path, table, store, monkeypatch):
    pytest.importorskip("matplotlib")
    methods = tuple(
        Method(f"LP, alpha {alpha}", Model("lp", {"alpha": float(alpha)})) for alpha in (1, 10)
    )
    figure = replace(table, methods=methods, published={}, reference="", along="alpha")
    run_table(figure, store)
    monkeypatch.setitem(TABLES, figure.id, figure)
    paths = write_results(store, tmp_path / "docs")
    pictures = [path for path in paths if path.suffix == ".svg"]
    assert [path.name for path in pictures] == [
        "999-1-hamming-loss.svg",
        "999-1-subset-accuracy.svg",
    ]
    assert all("<svg" in path.read_text(encoding="utf-8") for path in pictures)
    page = (tmp_path / "docs" / "999-1.md").read_text(encoding="utf-8")
    assert all(f"](images/{path.name})" in page for path in pictures)
