"""Figures of the page of errata against the stored cells."""

from pathlib import Path

import pytest

from stated_figures import Stated, check

PAGE = Path(__file__).parents[2] / "docs" / "results" / "errata.md"
EXACT = "subset_accuracy"
RERANKED, NEVER_EMPTY = "BR-rerank", "BR, no empty set (not printed)"
POWER_SETS = ("power set, logistic (not printed)", "power set, RBF machine (not printed)")
DISCS, ADULT = "2 labels, {} rows", "Adult, missing 0.9"
FIGURES = (
    *(
        Stated("CorrLog's risk", shown, "qli2017-fig3.1", DISCS.format(n), row, "zero_one_loss")
        for shown, n, row in (
            (".039", 100, "CorrLog, lambda 1e-4"),
            (".034", 500, "CorrLog, lambda 1e-4"),
            (".028", 1000, "CorrLog, lambda 1e-4"),
            (".050", 1000, "CorrLog, lambda 1e-3"),
            (".094", 1000, "CorrLog, pseudo-likelihood, lambda 1e-3"),
        )
    ),
    Stated("15060 test rows", ".716", "qli2017-2.3", ADULT, "RMF", "knn_accuracy"),
    Stated("15060 test rows", ".717", "qli2017-2.4", ADULT, "RMF", "knn_accuracy"),
    Stated("KNNI falls", ".728", "qli2017-2.3", ADULT, "KNNI", "knn_accuracy"),
    Stated("KNNI falls", ".718", "qli2017-2.4", ADULT, "KNNI", "knn_accuracy"),
    Stated(
        "stands for credit", ".467", "qli2017-2.3", "Credit, missing 0.9", "RMF", "svm_accuracy"
    ),
    *(
        Stated(
            "outside knowledge",
            shown,
            "xli2015-2",
            "Corel5K, 30 % hidden",
            "CRBM, no knowledge",
            metric,
        )
        for shown, metric in ((".002", "f1_micro"), (".244", "matched_f1_micro"))
    ),
    Stated(
        "a mixture with GFM",
        ".499",
        "cli2019-3.2",
        "BIBTEX",
        "CBM+GFM, components share BR (not in the thesis)",
        "f1_samples",
        unit=100,
    ),
    *(
        Stated("reranking gains", shown, "cli2019-4.3", "BIBTEX", row, EXACT)
        for shown, row in (("16.8", "BR"), ("23.7", RERANKED), ("20.7", NEVER_EMPTY))
    ),
    *(
        Stated("power sets, which", shown, "cli2019-4.3", column, row, EXACT)
        for column, figures in {
            "BIBTEX": ("23.6", "24.0", "23.7"),
            "OHSUMED": ("29.4", "30.6", "30.7"),
            "RCV1": ("60.1", "58.6", "58.4"),
            "TMC": ("32.9", "32.3", "32.2"),
        }.items()
        for shown, row in zip(figures, (*POWER_SETS, RERANKED))
    ),
    *(
        Stated("power sets, which", shown, "cli2019-4.3", "OHSUMED", row, EXACT)
        for shown, row in (
            ("32.4", "PCC"),
            ("32.2", "2BR, no empty set (not printed)"),
            ("32.1", "DBR, no empty set (not printed)"),
        )
    ),
    *(
        Stated("far ahead of a structured", shown, "tan2015-3", "Scene", row, metric, printed)
        for shown, row, metric, printed in (
            (".708", "CGM", "f1_macro", True),
            (".610", "SSVM-CT", "f1_macro", True),
            (".762", "CGM", "f1_macro", False),
            (".758", "SSVM-CT", "f1_macro", False),
            (".085", "CGM", "hamming_loss", False),
            (".088", "SSVM-CT", "hamming_loss", False),
        )
    ),
    *(
        Stated("of Delicious, before", shown, "xli2015-1", column, row, "recovery_ranking")
        for row, figures in {
            "CRBM": (".860", ".733"),
            "LCML": (".885", ".848"),
            "MLRGL": (".882", ".866"),
            "FastTag": (".878", ".850"),
            "BR (not in the paper)": (".855", ".823"),
        }.items()
        for column, shown in zip(("Delicious, 30 % hidden", "Delicious, 70 % hidden"), figures)
    ),
    *(
        Stated("is not calibrated", shown, "cli2019-4.1", "BIBTEX", row, "brier_score")
        for shown, row in (
            (".218", "BR, raw (not in the thesis)"),
            (".105", "uncalib"),
            (".062", "GB"),
        )
    ),
)


def paragraphs():
    """Return the paragraphs of the page, and the rows of its tables one by one."""
    text = PAGE.read_text(encoding="utf-8").replace("\n|", "\n\n|")
    return text.split("\n\n")


@pytest.mark.parametrize("figure", FIGURES, ids=str)
def test_figure_is_that_of_the_cells(figure):
    check(figure, paragraphs())
