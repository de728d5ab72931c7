"""Reliability of the confidence in sets, in groups of 100 predictions as the thesis shows it."""

from functools import partial

import numpy as np

from lab.building import build
from lab.drawings.drawing import Drawing
from lab.protocol import NoisyCalibration, RandomSplit
from lab.sources import Stored
from lab.table import Model
from labelfield import CalibratedSetClassifier
from labelfield.calibrate import BoostedSetCalibrator, IsotonicSetCalibrator, NoiseRates
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


def draw_noisy(figure, rates: tuple[float, ...]) -> list[str]:
    """Draw confidence learned from noisy annotations, against clean and against noisy ones."""
    part = NoisyCalibration(rates).part(DATA, 0)
    noisy, row_rates = part.extra
    model = build(BR).fit(part.train.X, part.train.Y)
    figure.set_size_inches(8.0, 7.6)
    axes = figure.subplots(2, 2)
    for line, (title, noise) in zip(axes, {"plain": None, "robust": row_rates}.items()):
        wrapper = CalibratedSetClassifier(
            model,
            calibrator=BoostedSetCalibrator(loss="kl"),
            cv="prefit",
            noise=None if noise is None else NoiseRates(miss=noise),
        ).fit(noisy.X, noisy.Y)
        for axis, (kind, data) in zip(line, {"clean": part.test, "noisy": noisy}.items()):
            sets = wrapper.predict(data.X)
            _dots(axis, wrapper.predict_confidence(data.X), (sets == data.Y).all(axis=1))
            axis.set_title(f"{title} calibrator, {kind} rows", fontsize=9)
    return []


def _noisy(number: str, title: str, rates: tuple[float, ...]) -> Drawing:
    return Drawing(
        f"cli2019-fig{number}",
        f"Reliability of confidence learned from annotations with {title}",
        STAND_IN.format("MSCOCO"),
        partial(draw_noisy, rates=rates),
        DATA.name,
        beside=True,
    )


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
    _noisy("4.7", "noise 0.2", (0.2,)),
    _noisy("4.8", "noise 0.5", (0.5,)),
    _noisy("4.9", "noise of three coders", (0.1, 0.3, 0.5)),
)
