"""The printed figures: checked against each other, against the errata, and spot by spot."""

import numpy as np
import pytest
from lab.published import MODULES, TABLES
from lab.published.reading import read_rows
from lab.table import Published
from scipy.stats import rankdata

NAMED_IN_THE_PLAN = {
    "qli2017": ["2.2", "2.3", "2.4", "3.2", "3.3", "3.6", "4.2", "fig3.1", "fig4.4"],
    "cli2019": [
        *("3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "4.1", "4.3"),
        *("E.1", "E.2", "E.3", "E.4", "fig3.7", "fig4.6", "fig4.7", "fig4.8", "fig4.9"),
    ],
    "xli2015": ["fig2", "1", "2"],
    "tan2015": ["2", "3", "fig3"],
}
OTHER_TABLES = {
    "qli2017": ["2.1", "3.1", "3.4", "3.5", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12"]
    + ["4.1", "4.3", "4.4"],
    "cli2019": ["1.1", "3.7", "4.2", "4.4", "A.1", "B.1", "C.1"],
    "tan2015": ["1", "4"],
}


def figure(id, column, method, metric):
    return TABLES[id].published[column, method, metric]


def means(id, column, method):
    table = TABLES[id]
    return [table.published[column, method, metric].mean for metric in table.metrics]


def test_ids_are_unique():
    ids = [table.id for module in MODULES for table in module.TABLES]
    assert len(ids) == len(set(ids)) == len(TABLES)


@pytest.mark.parametrize("document", NAMED_IN_THE_PLAN)
def test_every_table_of_the_plan_is_described(document):
    for number in NAMED_IN_THE_PLAN[document]:
        table = TABLES[f"{document}-{number}"]
        assert table.columns
        assert table.methods
        assert table.metrics
        assert not table.out_of_scope
        assert not table.impossible


@pytest.mark.parametrize("document", OTHER_TABLES)
def test_every_other_table_is_listed(document):
    for number in OTHER_TABLES[document]:
        table = TABLES[f"{document}-{number}"]
        assert table.columns or table.out_of_scope or table.impossible


def test_figures_named_in_the_specifications():
    assert means("qli2017-3.6", "MULANscene", "CorrLog") == [
        0.095,
        0.341,
        0.710,
        0.728,
        0.745,
        0.734,
    ]
    assert means("qli2017-3.6", "MULANscene", "ILRs") == [0.117, 0.495, 0.592, 0.622, 0.677, 0.669]
    assert means("qli2017-4.2", "MULANscene", "CGL") == [0.096, 0.347, 0.705, 0.724, 0.745, 0.731]
    assert means("qli2017-4.2", "MULANscene", "CGM") == [0.096, 0.390, 0.647, 0.659, 0.717, 0.708]
    assert means("tan2015-3", "Scene", "CGM") == [0.094, 0.708, 0.703, 0.790]
    assert figure("cli2019-3.1", "SCENE", "CBM", "subset_accuracy") == Published(69.7)
    assert figure("cli2019-3.1", "SCENE", "BR", "subset_accuracy") == Published(51.5)
    assert figure("cli2019-3.1", "SCENE", "CBM+GB", "subset_accuracy") == Published(70.5)
    assert figure("cli2019-3.2", "BIBTEX", "CBM+GFM", "f1_samples") == Published(50.4)
    assert figure("cli2019-3.3", "SCENE", "CBM", "hamming_loss") == Published(0.0877)
    assert figure("cli2019-4.1", "BIBTEX", "card isotonic", "brier_score") == Published(0.109)
    assert figure("cli2019-4.1", "BIBTEX", "tree", "sharpness") == Published(0.065)
    assert figure("xli2015-1", "Corel5K, 30 % hidden", "CRBM", "recovery_ranking").mean == 0.941
    assert (
        figure("xli2015-2", "Corel5K, 30 % hidden", "CRBM, no knowledge", "f1_micro").mean == 0.267
    )
    assert figure("tan2015-2", "clique problem", "CL-TREE", "hamming_loss") == Published(0.044)


def test_restoration_figures_named_in_the_specification():
    rows = {
        ("Credit", 0.2): (0.7191, 0.7200, 0.7386, 0.7382),
        ("Credit", 0.4): (0.6105, 0.5900, 0.6764, 0.6664),
        ("Australian", 0.2): (0.7274, 0.6948, 0.7613, 0.7661),
        ("Australian", 0.4): (0.6148, 0.5752, 0.7074, 0.7078),
        ("German", 0.2): (0.6895, 0.7204, 0.6970, 0.7411),
        ("German", 0.4): (0.6703, 0.6778, 0.6757, 0.7270),
    }
    for (data, noise), expected in rows.items():
        column = f"{data}, noise {noise}"
        found = (*means("qli2017-2.2", column, "as observed"), *means("qli2017-2.2", column, "RMF"))
        assert found == expected


def test_damaged_print_is_marked():
    assert figure("qli2017-2.2", "Credit, noise 0", "as observed", "knn_accuracy").mean == 0.8227
    assert figure("qli2017-2.2", "Credit, noise 0", "as observed", "svm_accuracy").mean is None


@pytest.mark.parametrize(("id", "noise"), [("qli2017-2.3", 0.2), ("qli2017-2.4", 0.4)])
def test_imputing_without_holes_is_denoising(id, noise):
    for data in ("Adult", "Credit", "Australian", "German"):
        clean, dirty = f"{data}, missing 0", f"{data}, noise {noise}"
        assert means(id, clean, "RMF") == means("qli2017-2.2", dirty, "RMF")
        for imputer in ("KNNI", "REMI", "missForest"):
            assert means(id, clean, imputer) == means("qli2017-2.2", dirty, "as observed")


def test_tables_that_repeat_figures_agree():
    for title in ("ILRs", "IBLR", "MLKNN", "CC", "MMOC"):
        for metric in TABLES["qli2017-3.6"].metrics:
            assert figure("qli2017-3.6", "MULANscene", title, metric) == figure(
                "qli2017-4.2", "MULANscene", title, metric
            )
    for column in ("SCENE", "RCV1", "TMC2007", "MEDIAMILL", "NUSWIDE"):
        assert figure("cli2019-3.3", column, "CBM", "hamming_loss") == figure(
            "cli2019-3.6", column, "CBM for Hamming loss", "hamming_loss"
        )
    for column in (column.title for column in TABLES["cli2019-E.1"].columns):
        for metric, id in (("brier_score", "cli2019-E.1"), ("sharpness", "cli2019-E.2")):
            long, short = (
                figure(id, column, "GB-MSE", metric),
                figure("cli2019-4.1", column, "GB", metric),
            )
            assert abs(long.mean - short.mean) <= 0.00051
        for metric, id in (("subset_accuracy", "cli2019-E.3"), ("f1_samples", "cli2019-E.4")):
            assert figure(id, column, "GB-MSE", metric) == figure(
                "cli2019-4.3", column, "BR-rerank", metric
            )


PRINTED_RANKS = {
    "subset_accuracy": [6.3, 1.8, 6.7, 5.7, 3.3, 3.8, 10.0, 9.8, 11.2, 10.0, 4.5, 6.8, 11.0],
    "f1_samples": [6.3, 2.5, 5.5, 7.3, 4.0, 5.7, 8.3, 6.8, 7.5, 8.8, 7.5, 8.7, 12.0],
}


@pytest.mark.parametrize("metric", PRINTED_RANKS)
def test_average_ranks_of_the_reranking_table_are_those_printed(metric):
    """The thesis ranked unrounded scores, so each tie of the print may have gone either way."""
    table = TABLES["cli2019-4.3"]
    printed_rows = {title for _, title, _ in table.published}
    losses = [
        [
            -getattr(table.published.get((column.title, row.title, metric)), "mean", -np.inf)
            for row in table.methods
            if row.title in printed_rows
        ]
        for column in table.columns
    ]
    lowest = rankdata(losses, axis=1, method="min").mean(axis=0)
    highest = rankdata(losses, axis=1, method="max").mean(axis=0)
    printed = np.array(PRINTED_RANKS[metric])
    assert (lowest - 0.051 <= printed).all()
    assert (printed <= highest + 0.051).all()


def test_printed_recall_of_the_clique_paper_is_precision():
    """With P(precision) and F, recall follows; the Hamming loss tells which of the two it was."""
    cardinality, labels = 1.074, 6
    for title in ("BR", "LEAD", "CGM"):
        loss, _, f1, printed = means("tan2015-3", "Scene", title)
        other = f1 * printed / (2 * printed - f1)
        as_precision = _hamming(cardinality / labels, recall=other, precision=printed)
        as_recall = _hamming(cardinality / labels, recall=printed, precision=other)
        assert abs(as_precision - loss) < 0.003
        assert abs(as_recall - loss) > 0.01


def _hamming(density, recall, precision):
    return density * (1 - recall + recall * (1 - precision) / precision)


def test_reading_refuses_a_line_of_the_wrong_length():
    with pytest.raises(ValueError, match="2 figures in place of 3"):
        list(read_rows("BR | .1 .2", width=3))


def test_a_figure_outside_the_description_is_refused():
    table = TABLES["cli2019-3.3"]
    with pytest.raises(ValueError, match="'XYZ' of figure"):
        type(table)("x-1", "t", metrics=("m",), published={("XYZ", "a", "m"): Published(1.0)})
