"""Reliability of the confidence in sets, in groups of 100 predictions as the thesis shows it."""

import numpy as np

from lab.building import build
from lab.drawings.drawing import Drawing
from lab.protocol import RandomSplit
from lab.sources import Stored
from lab.table import Model
from labelfield.calibrate import IsotonicSetCalibrator
from labelfield.calibrate.describe import SetPrior, describe_sets

__all__ = ["RELIABILITY"]

GROUP = 100
DATA = Stored("tmc2007-500")
BR = Model("br", {"alpha": 10.0})
STAND_IN = "TMC2007 with 500 terms stands in for {}; each dot is 100 test predictions."


def _part():
    """Return training and test rows, a fifth of them for the test."""
    return RandomSplit(test_share=0.2, n_repetitions=1).part(DATA, 0)


def _dots(axis, confidence, right, **style) -> None:
    """Draw the mean confidence and accuracy of groups of rows with similar confidence."""
    order = np.argsort(confidence, kind="stable")
    groups = np.array_split(order, max(1, len(order) // GROUP))
    points = [(confidence[rows].mean(), right[rows].mean()) for rows in groups]
    axis.plot(*zip(*points), "o", markersize=3, **style)
    axis.plot([0, 1], [0, 1], "--", color="0.5", linewidth=1.0, zorder=0)
    axis.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="confidence", ylabel="accuracy")


def _calibration():
    """Return described sets and hits of calibration rows and of test rows."""
    part = _part()
    cut = int(0.75 * len(part.train.Y))
    order = np.random.default_rng(0).permutation(len(part.train.Y))
    fitted, held = order[:cut], order[cut:]
    model = build(BR).fit(part.train.X[fitted], part.train.Y[fitted])
    prior = SetPrior(part.train.Y[fitted])
    found = []
    for X, Y in ((part.train.X[held], part.train.Y[held]), (part.test.X, part.test.Y)):
        joint = model.predict_joint(X)
        sets = model.predict(X)
        described = describe_sets(joint, sets[:, None], prior)
        found.append((described, (sets == Y).all(axis=1).astype(float), sets))
    return found


def draw_isotonic(figure) -> list[str]:
    """Draw confidence before and after isotonic regression."""
    (held, held_right, _), (test, right, _) = _calibration()
    calibrator = IsotonicSetCalibrator().fit(held, held_right)
    axes = figure.subplots(1, 2)
    _dots(axes[0], test[:, 0], right)
    axes[0].set_title("probability of the set", fontsize=9)
    _dots(axes[1], calibrator.predict(test), right)
    axes[1].set_title("after isotonic regression", fontsize=9)
    return []


def draw_groups(figure) -> list[str]:
    """Draw isotonic confidence by size and by frequency of the predicted set."""
    (held, held_right, _), (test, right, sets) = _calibration()
    confidence = IsotonicSetCalibrator().fit(held, held_right).predict(test)
    sizes = sets.sum(axis=1)
    frequency = test[:, 2]
    middle = np.quantile(frequency, [1 / 3, 2 / 3])
    kinds = {
        "by number of labels": {f"{size}": sizes == size for size in (1, 2, 3, 4)},
        "by how often the set was seen": {
            "rare": frequency <= middle[0],
            "middling": (frequency > middle[0]) & (frequency <= middle[1]),
            "frequent": frequency > middle[1],
        },
    }
    for axis, (title, groups) in zip(figure.subplots(1, 2), kinds.items()):
        for number, (name, rows) in enumerate(groups.items()):
            if rows.sum() >= GROUP:
                _dots(axis, confidence[rows], right[rows], color=f"C{number}", label=name)
        axis.set_title(title, fontsize=9)
        if axis.has_data():
            axis.legend(fontsize=8)
    return []


def draw_models(figure) -> list[str]:
    """Draw three models side by side."""
    part = _part()
    models = {
        "BR": BR,
        "BR-rerank": Model("rerank", {"estimator": BR}),
        "CBM": Model("cbm", {"n_components": 20, "alpha": 10.0}),
    }
    figure.set_size_inches(10.0, 3.8)
    for axis, (title, model) in zip(figure.subplots(1, 3), models.items()):
        fitted = build(model, seed=0).fit(part.train.X, part.train.Y)
        sets = fitted.predict(part.test.X)
        confidence = (
            fitted.predict_confidence(part.test.X)
            if hasattr(fitted, "predict_confidence")
            else np.exp(fitted.predict_joint(part.test.X).log_prob(sets))
        )
        _dots(axis, confidence, (sets == part.test.Y).all(axis=1))
        axis.set_title(title, fontsize=9)
    return []


RELIABILITY = (
    Drawing(
        "cli2019-fig4.1",
        "Reliability before and after isotonic regression",
        STAND_IN.format("WISE"),
        draw_isotonic,
        DATA.name,
    ),
    Drawing(
        "cli2019-fig4.2",
        "Isotonic confidence by size and by frequency of the set",
        STAND_IN.format("WISE"),
        draw_groups,
        DATA.name,
    ),
    Drawing(
        "cli2019-fig4.5",
        "Reliability of three classifiers",
        STAND_IN.format("MSCOCO"),
        draw_models,
        DATA.name,
    ),
)
