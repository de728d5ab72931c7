"""The rows of the arena: models with the settings that are tried inside each training part."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

import labelfield
from lab.arena.answers import Answer, JointAnswer, OwnAnswer
from lab.arena.boomer import Boomer, why_not
from lab.grids import COSTS, DECADES
from labelfield import (
    BinaryRelevance,
    ClassifierChainEnsemble,
    ConditionalBernoulliMixture,
    CorrelatedLogistic,
    LabelPowerset,
    MLkNN,
    PairwiseCRF,
)
from labelfield.joints import SupportJoint
from labelfield.learners.log_odds import label_probabilities

__all__ = ["OURS", "ROWS", "Row", "make_rows", "temper"]

OURS = "ours"
STRENGTHS = tuple({"alpha": alpha} for alpha in DECADES)
LEAVES = tuple({"min_samples_leaf": least} for least in (1, 3, 10))
N_TREES = 200
MAX_SVM_ROWS = 6000

Settings = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A row of the arena.

    Parameters
    ----------
    id, title : str
    make : callable
        `make(setting, seed)` gives the unfitted estimator.
    settings : tuple of dict
        What is tried, each with a fit of its own on every inner fold.
    variants : mapping of name to parameters
        What is tried on one fit: parameters that change its answers only.
    temperatures : tuple of float
        The same for power sets whose probabilities may be too sharp or too flat, see `temper`.
    why_absent : callable
        `why_absent(n)` gives the reason why the row is left out for n training rows, or "".
    self_tuned : bool
        Whether the model chooses its settings and decisions itself.
    """

    id: str
    title: str
    make: Callable[[Settings, int], Any]
    settings: tuple[Settings, ...] = ({},)
    variants: dict[str, Settings] = field(default_factory=lambda: {"": {}})
    temperatures: tuple[float, ...] = ()
    why_absent: Callable[[int], str] = lambda n: ""
    self_tuned: bool = False

    @property
    def n_tried(self) -> int:
        """How many models are compared: settings times answers of one fit."""
        return len(self.settings) * max(len(self.variants), len(self.temperatures))

    def fit(self, setting: Settings, X: Any, Y: np.ndarray, seed: int) -> Any:
        """Return the model with a setting, fitted to X (n, d) and Y (n, L)."""
        return self.make(setting, seed).fit(X, Y)

    def ask(self, fitted: Any, X: Any) -> dict[str, Answer]:
        """Return what the fitted model says about X (n, d), by variant."""
        if self.self_tuned:
            return {"": OwnAnswer(fitted, X)}
        if not hasattr(fitted, "predict_joint"):
            n_labels = getattr(fitted, "n_outputs_", None) or len(fitted.classes_)
            return {"": JointAnswer.of_marginals(label_probabilities(fitted, X, n_labels))}
        if self.temperatures:
            joint = fitted.predict_joint(X)
            return {f"temperature {t:g}": JointAnswer(temper(joint, t)) for t in self.temperatures}
        return {
            name: JointAnswer(fitted.set_params(**parameters).predict_joint(X))
            for name, parameters in self.variants.items()
        }


class BoomerRow(Row):
    """BOOMER, whose fits and answers go through another Python."""

    def fit(self, setting, X, Y, seed):
        return self.make(setting, seed).fit(X, Y, seed)

    def ask(self, fitted, X):
        return fitted.ask(X)


def temper(joint: SupportJoint, temperature: float) -> SupportJoint:
    """Return a joint on listed sets with its log-probabilities divided by a temperature.

    Machines give scores rather than probabilities; the temperature makes probabilities of them and
    leaves the best set as it is.
    """
    score = joint.log_weights / temperature
    return SupportJoint(joint.sets, score - np.logaddexp.reduce(score, axis=1, keepdims=True))


def _powerset_svm(setting, seed):
    return LabelPowerset(SVC(C=setting["C"], gamma="scale"))


def _powerset_trees(setting, seed):
    trees = ExtraTreesClassifier(N_TREES, **setting, random_state=seed)
    return LabelPowerset(trees)


def _boosted(setting, seed):
    trees = LGBMClassifier(
        n_estimators=100,
        **setting,
        reg_lambda=1.0,  # without it the steps of labels with a handful of rows run away
        n_jobs=1,
        random_state=seed,
        deterministic=True,
        verbose=-1,
    )
    return BinaryRelevance(trees)


def _plain_logistic(setting, seed):
    logistic = LogisticRegression(C=1.0 / setting["alpha"], max_iter=1000)
    return OneVsRestClassifier(logistic)


def _no_svm_beyond(n_rows: int) -> str:
    if n_rows <= MAX_SVM_ROWS:
        return ""
    return f"{n_rows} training rows; a kernel machine is fitted to at most {MAX_SVM_ROWS}"


def _no_front_door(n_rows: int) -> str:
    there = hasattr(labelfield, "LabelSetClassifier")
    return "" if there else "this labelfield has no LabelSetClassifier"


BASELINES = (
    Row(
        "logistic",
        "logistic regression per label",
        lambda setting, seed: BinaryRelevance(**setting),
        STRENGTHS,
    ),
    Row(
        "mlknn",
        "ML-kNN",
        lambda setting, seed: MLkNN(**setting),
        tuple({"n_neighbors": k} for k in (3, 5, 10, 20, 40, 80)),
    ),
    Row(
        "powerset-svm",
        "power set, RBF SVM",
        _powerset_svm,
        tuple({"C": C} for C in COSTS),
        temperatures=(0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
        why_absent=_no_svm_beyond,
    ),
    Row(
        "forest",
        "random forest",
        lambda setting, seed: RandomForestClassifier(N_TREES, **setting, random_state=seed),
        LEAVES,
    ),
    Row(
        "powerset-trees",
        "power set, extremely randomised trees",
        _powerset_trees,
        LEAVES,
        temperatures=(0.2, 0.5, 1.0, 2.0),
    ),
    Row(
        "powerset-linear",
        "power set, logistic",
        lambda setting, seed: LabelPowerset(**setting),
        STRENGTHS,
    ),
    Row(
        "field",
        "label field on logistic",
        lambda setting, seed: CorrelatedLogistic(BinaryRelevance(**setting)),
        STRENGTHS,
    ),
    Row(
        "crf",
        "pairwise CRF on logistic",
        lambda setting, seed: PairwiseCRF(BinaryRelevance(**setting)),
        STRENGTHS,
    ),
    Row(
        "chains",
        "ensemble of 10 chains",
        lambda setting, seed: ClassifierChainEnsemble(**setting, random_state=seed),
        STRENGTHS,
        {f"{vote} votes": {"voting": vote} for vote in ("label", "subset")},
    ),
    Row(
        "sklearn",
        "scikit-learn, logistic one-vs-rest",
        _plain_logistic,
        STRENGTHS,
    ),
    Row(
        "mixture",
        "conditional Bernoulli mixture",
        lambda setting, seed: ConditionalBernoulliMixture(**setting, random_state=seed),
        STRENGTHS,
    ),
    Row(
        "lightgbm",
        "LightGBM per label",
        _boosted,
        tuple({"num_leaves": most} for most in (3, 7, 31, 127)),
    ),
    BoomerRow(
        "boomer",
        "BOOMER, joint loss (GFM for F1)",
        lambda setting, seed: Boomer(**setting),
        tuple({"label_binning": binning} for binning in ("auto", "none")),
        why_absent=lambda n: why_not(),
    ),
)


def make_rows(budget: str | float = "balanced") -> dict[str, Row]:
    """Return all rows by id, cheap ones first.

    Parameters
    ----------
    budget : str or float
        Of the row "ours".
    """
    ours = Row(
        OURS,
        f"LabelSetClassifier, {budget}",
        lambda setting, seed: labelfield.LabelSetClassifier(**setting, random_state=seed),
        ({"budget": budget},),
        why_absent=_no_front_door,
        self_tuned=True,
    )
    return {row.id: row for row in (*BASELINES, ours)}


ROWS = tuple(make_rows())
