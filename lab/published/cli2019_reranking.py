"""C. Li (2019), chapter 4 and appendices: confidence in sets, reranking, noisy annotations."""

from lab.grids import DECADES, STRENGTHS
from lab.protocol import NoisyCalibration
from lab.published.cli2019_columns import (
    BOOSTED_TREES,
    CHAPTER_4,
    ENERGY,
    EPOCHS,
    PD_SPARSE,
    PDS_WEIGHTS,
    RIDGE,
    STAND_INS,
)
from lab.published.fair_rows import (
    EMPTY_RULE,
    LEAST_SQUARES,
    MANY_SETS,
    OURS,
    OURS_CHOOSES,
    TUNED,
    fair_rows,
    never_empty,
    strengths_by,
)
from lab.published.reading import Figures, figures_by_column, read_rows
from lab.table import Column, Method, Model, Search, Table
from lab.tasks.noisy_confidence import KNOWN

__all__ = ["TABLES"]

TITLES = tuple(column.title for column in CHAPTER_4)
BR = Model("lab.variants.exact_match_relevance.ExactMatchRelevance")
CANDIDATES = Model(BR.id, {"decoder": "subset"})
SPLITS = "The splits of the thesis are not published: a point of difference means little."
STRENGTH = (
    "The strength of binary relevance is chosen on a fifth of the rows it is fitted to, from .01 "
    "to 1000, by the exact match of its sets; for reranking, by that of the first candidates."
)
ISOTONIC_FIRST = "Rows other than the raw one first calibrate every label by isotonic regression."


def calibrator(name: str, **parameters) -> Model:
    """Return a set calibrator of ours."""
    return Model(f"labelfield.calibrate.{name}", parameters)


def calibrated(title: str, calibrator: Model, **more) -> Method:
    """Return binary relevance with a set calibrator, its labels calibrated before."""
    parameters = {"estimator": BR, "calibrator": calibrator, "label_calibration": "isotonic"}
    return Method(title, Model("calibrated", {**parameters, **more}))


def rerank(title: str, **parameters) -> Method:
    """Return binary relevance with its best candidates reranked."""
    return Method(title, Model("rerank", {"estimator": CANDIDATES, **parameters}))


CALIBRATORS = (
    calibrated("uncalib", calibrator("IdentitySetCalibrator")),
    calibrated("isotonic", calibrator("IsotonicSetCalibrator")),
    calibrated("card isotonic", calibrator("IsotonicSetCalibrator", by="cardinality")),
    calibrated("tree", calibrator("TreeSetCalibrator")),
    calibrated("GB", calibrator("BoostedSetCalibrator", loss="mse")),
)
RAW = Method("BR, raw (not in the thesis)", BR)
# Data set | uncertainty, then MSE and sharpness of each calibrator.
TABLE_4_1 = """
    BIBTEX  | .139 .193 .007 .140 .002 .109 .038 .086 .065 .068 .072
    OHSUMED | .232 .226 .015 .221 .013 .182 .051 .211 .039 .189 .047
    RCV1    | .247 .175 .077 .175 .075 .159 .093 .134 .129 .123 .126
    TMC     | .212 .192 .019 .192 .020 .192 .022 .194 .029 .180 .032
    WISE    | .249 .252 .017 .234 .017 .151 .098 .166 .093 .147 .102
    MSCOCO  | .227 .158 .075 .151 .075 .150 .076 .163 .070 .143 .083"""


def _calibration_figures() -> Figures:
    figures: Figures = {}
    for data, (uncertainty, *pairs) in read_rows(TABLE_4_1, 1 + 2 * len(CALIBRATORS)):
        for method, error, sharpness in zip(CALIBRATORS, pairs[::2], pairs[1::2]):
            figures[data, method.title, "brier_score"] = error
            figures[data, method.title, "sharpness"] = sharpness
            figures[data, method.title, "uncertainty"] = uncertainty
    return figures


def for_exact_match(
    title: str, model: Model, name: str = "alpha", grid: tuple = STRENGTHS
) -> Method:
    """Return a row whose strength is chosen for exact match."""
    return Method(title, model, search=strengths_by("subset_accuracy", name, grid))


MIXTURE = Model("cbm", {"n_components": 20})
CRF = Method("CRF", Model("crf", {"alpha": "auto"}))
RERANKED = Model("rerank", {"estimator": Model("br"), "n_candidates": 10})
OURS_4_3 = (
    for_exact_match("BR", Model("br")),
    for_exact_match("BR-rerank", RERANKED, "estimator__alpha", DECADES),
    Method("2BR", Model("lab.variants.boosted_stages.BoostedStacked")),
    Method("DBR", Model("lab.variants.boosted_stages.BoostedDependent")),
    for_exact_match("CBM", MIXTURE, grid=DECADES),
    CRF,
)
BOOSTED_STAGE = Model(  # of appendix D, where the number of trees was tuned
    BOOSTED_TREES.id, {**BOOSTED_TREES.parameters, "num_leaves": 10}
)
LATE_4_3 = (
    Method("PCC", Model("pcc", {"estimator": BOOSTED_STAGE, "max_beam": 5})),
    Method("RAKEL", Model("rakel", {"alpha": "auto"})),
    Method(
        "KNN",
        Model("mlknn"),
        search=Search({"n_neighbors": (1, 5, 9, 15, 21, 31, 51)}, "subset_accuracy", folds=1),
    ),
)


def from_abstract(title: str, model: Model, grid: dict[str, tuple]) -> Method:
    """Return a row of a method read in abstract only, under the rule that no set is empty."""
    search = Search(grid, "subset_accuracy", folds=1)
    return Method(title, model, decoder="subset", search=search)


SPEN = from_abstract("SPEN", ENERGY, EPOCHS)
PDS = from_abstract("PDS", PD_SPARSE, PDS_WEIGHTS)
DVN = from_abstract("DVN", Model("lab.comparators.dvn.DeepValueNetwork"), {"n_epochs": (10, 30)})
METHODS_4_3 = (*OURS_4_3, SPEN, PDS, DVN, Method("PC"), *LATE_4_3)
DECIDED_BY_LABEL = ("2BR", "DBR", "RAKEL", "KNN")
NEVER_EMPTY_4_3 = tuple(
    never_empty(method) for method in METHODS_4_3 if method.title in DECIDED_BY_LABEL
)
NOT_IN_THESIS = "(not in the thesis)"
WHOLE = {"decoder": "subset"}
LOGISTIC_4_3 = (
    for_exact_match(f"2BR, logistic {NOT_IN_THESIS}", Model("2br", WHOLE), grid=DECADES),
    for_exact_match(f"DBR, logistic {NOT_IN_THESIS}", Model("dbr", WHOLE), grid=DECADES),
    for_exact_match(f"PCC, logistic {NOT_IN_THESIS}", Model("pcc", {"max_beam": 5}), grid=DECADES),
)
FAIR = fair_rows(machine=LEAST_SQUARES)
SET_ACCURACY_4_3 = """
    BIBTEX  | 16.6 21.5 16.1 20.2 22.9 23.3 14.8 16.1 16.2 20.3 21.4 18.3 8.4
    OHSUMED | 36.6 42.0 37.5 37.6 40.5 40.4 29.1 34.8 18.6 29.5 38.0 39.3 25.4
    RCV1    | 44.5 53.2 42.3 45.8 55.3 53.8 27.5 40.8 13.7 39.7 48.7 46.0 46.2
    TMC     | 30.4 33.3 32.1 31.7 30.8 28.2 26.7 23.4 20.3 23.0 31.3 27.6 18.9
    WISE    | 52.9 60.5 51.8 55.8 61.0 46.4 - 52.4 28.3 - 55.9 3.5 2.4
    MSCOCO  | 34.7 35.9 33.7 32.0 31.1 35.1 34.1 25.0 29.9 31.1 32.1 32.6 29.1"""
F1_4_3 = """
    BIBTEX  | 35.9 42.2 36.7 40.1 45.3 46.2 38.6 40.4 47.3 47.5 40.9 38.3 23.0
    OHSUMED | 62.9 67.5 62.9 61.5 67.2 65.6 58.8 66.4 60.0 60.5 61.7 62.3 48.6
    RCV1    | 77.0 78.8 77.5 72.8 80.3 75.0 66.5 76.7 36.3 71.7 75.6 76.1 72.3
    TMC     | 65.8 66.8 67.9 66.1 65.2 64.4 66.2 64.0 65.5 61.7 64.9 63.6 52.2
    WISE    | 68.3 75.4 69.1 69.9 76.0 60.7 - 73.6 62.3 - 69.7 6.2 5.6
    MSCOCO  | 73.0 73.2 72.6 69.6 70.0 73.9 73.2 64.8 72.7 72.7 69.6 71.7 68.2"""


def _prediction_figures(metric: str, text: str) -> Figures:
    return {
        (data, method.title, metric): figure
        for data, figures in read_rows(text, len(METHODS_4_3))
        for method, figure in zip(METHODS_4_3, figures)
        if figure is not None
    }


TABLE_4_4 = """
    BR        | 4 3 7 8 80 1380
    BR-rerank | 9 6 10 11 88 1393
    CBM       | 64 210 70 224 1320 8520
    CRF       | 353 268 1223 771 16363 14760"""
VARIANTS = tuple(
    (f"GB-{loss.upper()}{', monotone' if monotone else ''}", loss, monotone)
    for loss in ("mse", "kl")
    for monotone in (False, True)
)
E_CALIBRATED = tuple(
    calibrated(title, calibrator("BoostedSetCalibrator", loss=loss, monotone=monotone))
    for title, loss, monotone in VARIANTS
)
E_RERANKED = tuple(
    rerank(
        title,
        n_candidates=10,
        calibrator=calibrator("BoostedSetCalibrator", loss=loss, monotone=monotone),
    )
    for title, loss, monotone in VARIANTS
)
TABLE_E_1 = """
    GB-MSE           | .0682 .1889 .1229 .1800 .1472 .1434
    GB-MSE, monotone | .0653 .1854 .1227 .1783 .1468 .1438
    GB-KL            | .0696 .1904 .1260 .1794 .1476 .1437
    GB-KL, monotone  | .0666 .1850 .1253 .1772 .1467 .1436"""
TABLE_E_2 = """
    GB-MSE           | .0719 .0467 .1262 .0319 .1022 .0825
    GB-MSE, monotone | .0783 .0475 .1366 .0347 .1029 .0823
    GB-KL            | .0753 .0475 .1236 .0330 .1014 .0824
    GB-KL, monotone  | .0782 .0496 .1299 .0351 .1028 .0824"""
TABLE_E_3 = """
    GB-MSE           | 21.5 42.0 53.2 33.3 60.5 35.9
    GB-MSE, monotone | 22.1 41.9 52.7 32.9 60.4 36.0
    GB-KL            | 21.1 41.1 51.8 33.0 60.3 36.2
    GB-KL, monotone  | 22.1 41.4 52.2 33.1 60.5 36.1"""
TABLE_E_4 = """
    GB-MSE           | 42.2 67.5 78.8 66.8 75.4 73.2
    GB-MSE, monotone | 43.1 67.2 78.6 66.6 75.5 73.4
    GB-KL            | 41.8 66.8 78.2 66.4 75.1 73.3
    GB-KL, monotone  | 42.4 67.1 78.2 66.5 75.3 73.3"""


def _variants(id: str, title: str, metric: str, text: str, rows: tuple[Method, ...]) -> Table:
    percent = rows is E_RERANKED
    beside = FAIR if metric == "subset_accuracy" else ()
    return Table(
        id,
        title,
        task="classify" if percent else "confidence",
        columns=CHAPTER_4,
        methods=(*rows, *beside),
        metrics=(metric,),
        published=figures_by_column(metric, TITLES, text),
        unit=100.0 if percent else 1.0,
        digits=1 if percent else 4,
        notes=(STAND_INS, SPLITS, STRENGTH, *([EMPTY_RULE, MANY_SETS] if beside else [])),
    )


def _noisy(title: str, name: str, noise: str | None = None, **parameters) -> Method:
    """Return a row whose labels stay as clean rows taught them; only sets are calibrated."""
    return calibrated(title, calibrator(name, **parameters), label_calibration=None, noise=noise)


def _noise(number: str, title: str, rates: tuple[float, ...]) -> Table:
    return Table(
        f"cli2019-fig{number}",
        title,
        task="noisy_confidence",
        columns=(
            Column(
                "TMC",
                CHAPTER_4[3].source,
                NoisyCalibration(rates),
                comparable=False,
                note="stands in for MSCOCO, whose image features are not public",
            ),
        ),
        methods=(
            _noisy("plain", "BoostedSetCalibrator", loss="kl"),
            _noisy("robust", "BoostedSetCalibrator", noise=KNOWN, loss="kl"),
            _noisy("robust, square loss", "BoostedSetCalibrator", noise=KNOWN, loss="mse"),
            _noisy("robust, isotonic", "IsotonicSetCalibrator", noise=KNOWN),
        ),
        metrics=("brier_score", "alignment_error", "mean_confidence"),
        digits=4,
        notes=("Plots only, no figures printed.",),
    )


THREE_CLASSIFIERS = (RAW, Method("CBM", MIXTURE), CALIBRATORS[4])


def _reliability(number: str, title: str, column: int, rows: tuple[Method, ...]) -> Table:
    """Return a reliability plot, by the figures that sum it up."""
    return Table(
        f"cli2019-fig{number}",
        f"Reliability on {title}",
        task="confidence",
        columns=(CHAPTER_4[column],),
        methods=rows,
        metrics=("brier_score", "alignment_error", "expected_calibration_error"),
        digits=4,
        notes=("Plots only, no figures printed.",),
    )


TABLES = (
    Table(
        "cli2019-4.1",
        "Confidence in the sets that binary relevance predicts",
        task="confidence",
        columns=CHAPTER_4,
        methods=(RAW, *CALIBRATORS),
        metrics=("brier_score", "sharpness", "uncertainty"),
        published=_calibration_figures(),
        reference="GB",
        notes=(STAND_INS, SPLITS, STRENGTH, ISOTONIC_FIRST),
    ),
    Table("cli2019-4.2", "Candidates of two images", out_of_scope="two worked examples on images"),
    Table(
        "cli2019-4.3",
        "Set accuracy and instance F1 (percent) of reranking and other methods",
        columns=CHAPTER_4,
        methods=(*METHODS_4_3, *NEVER_EMPTY_4_3, *LOGISTIC_4_3, *FAIR, OURS),
        metrics=("subset_accuracy", "f1_samples"),
        published={
            **_prediction_figures("subset_accuracy", SET_ACCURACY_4_3),
            **_prediction_figures("f1_samples", F1_4_3),
        },
        unit=100.0,
        digits=1,
        reference="BR-rerank",
        notes=(
            STAND_INS,
            SPLITS,
            TUNED,
            "The second levels of 2BR and DBR, and PCC, are boosted as in the thesis: 100 trees of "
            "10 leaves, where the thesis tuned their number, and also whether second levels see "
            "the features (ours do).",
            RIDGE,
            "SPEN, PDS and DVN are ours (lab/comparators), after abstracts of their papers, which "
            "could not be read in full; the networks need torch; their epochs and the weight C of "
            "PDS are chosen on a fifth of the training rows, and none answers with the empty set. "
            "RAKEL has sets of three labels, as in its paper; the thesis tuned their size.",
            EMPTY_RULE,
            MANY_SETS,
            OURS_CHOOSES,
        ),
    ),
    Table(
        "cli2019-4.4",
        "Seconds of training",
        columns=CHAPTER_4,
        methods=(
            Method("BR", BR),
            rerank("BR-rerank", n_candidates=10),
            Method("CBM", MIXTURE),
            CRF,
        ),
        metrics=("fit_seconds",),
        published=figures_by_column("fit_seconds", TITLES, TABLE_4_4),
        digits=0,
        notes=(
            "Ours are CPU seconds of one thread; the thesis's are of 56 cores.",
            "Those of BR, BR-rerank and the CRF contain the choice of the strength; the CBM has 1.",
        ),
    ),
    _variants(
        "cli2019-E.1", "Error of four boosted calibrators", "brier_score", TABLE_E_1, E_CALIBRATED
    ),
    _variants(
        "cli2019-E.2", "Sharpness of four boosted calibrators", "sharpness", TABLE_E_2, E_CALIBRATED
    ),
    _variants(
        "cli2019-E.3", "Set accuracy after reranking", "subset_accuracy", TABLE_E_3, E_RERANKED
    ),
    _variants("cli2019-E.4", "Instance F1 after reranking", "f1_samples", TABLE_E_4, E_RERANKED),
    Table("cli2019-A.1", "Sizes of the data sets", out_of_scope="statistics of the data only"),
    Table("cli2019-B.1", "Programs used", out_of_scope="a list of programs"),
    Table(
        "cli2019-C.1",
        "Tuned parameters",
        out_of_scope="settings, taken over into the rows of chapter 3",
    ),
    _reliability("4.1", "WISE before and after isotonic regression", 4, (RAW, CALIBRATORS[1])),
    _reliability("4.2", "WISE by size and by frequency of the set", 4, CALIBRATORS[1:3]),
    _reliability("4.5", "MSCOCO, of three classifiers", 5, THREE_CLASSIFIERS),
    Table(
        "cli2019-fig4.6",
        "Set accuracy of reranking against the number of candidates",
        columns=CHAPTER_4[:4],
        methods=(
            *(rerank(f"{count} candidates", n_candidates=count) for count in (1, 2, 5, 10, 20, 50)),
            *FAIR,
        ),
        metrics=("subset_accuracy",),
        along="candidates",
        notes=("Curves only, no figures printed.", STAND_INS, STRENGTH, EMPTY_RULE, MANY_SETS),
    ),
    _noise("4.7", "Confidence learned from annotations with noise 0.2", (0.2,)),
    _noise("4.8", "Confidence learned from annotations with noise 0.5", (0.5,)),
    _noise("4.9", "Confidence learned from three coders of different skill", (0.1, 0.3, 0.5)),
)
