"""Tune a row inside the training part, fit it, and measure it on the test part.

All rows are tuned alike: the same inner folds, the same measures, the same choice between a decoder
and a threshold for each measure, the same rule for empty sets.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold

from lab.arena.answers import Answer
from lab.arena.decisions import CUT, DECODERS, SELF_DECIDED, apply_cut, learn_cut, score
from lab.arena.rows import Row
from lab.arena.timing import Stopwatch
from labelfield.metrics import METRICS

__all__ = ["calibration_bins", "inner_folds", "measure_row", "set_log_likelihood"]

INNER_FOLDS = 3
N_BINS = 10
FLOOR_SHARE = 1e-3
LIKELIHOOD = "log_likelihood"


def inner_folds(n_rows: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the folds inside a training part of n rows that every row of the arena is tuned on."""
    folds = KFold(min(INNER_FOLDS, n_rows), shuffle=True, random_state=seed)
    return list(folds.split(np.zeros(n_rows)))


def set_log_likelihood(log_prob: np.ndarray, Y: np.ndarray, Y_train: np.ndarray) -> np.ndarray:
    """Return log-likelihoods (n,) with a floor that keeps them finite.

    A model that knows only the label sets of its training part says that all others are impossible.
    So every model is mixed with a thousandth of the independent law of the training frequencies,
    which is a distribution too: log(0.999 p(y | x) + 0.001 p_0(y)).
    """
    frequency = (Y_train.sum(axis=0) + 1.0) / (len(Y_train) + 2.0)
    log_prior = Y @ np.log(frequency) + (1.0 - Y) @ np.log1p(-frequency)
    return np.logaddexp(np.log1p(-FLOOR_SHARE) + log_prob, np.log(FLOOR_SHARE) + log_prior)


@dataclass(frozen=True)
class Candidate:
    """A setting, a variant, and what held-out rows of the training part got under them."""

    setting: dict[str, Any]
    variant: str
    marginals: np.ndarray  # (n, L)
    sets: dict[str, np.ndarray]  # by decoder
    log_likelihood: float


@dataclass(frozen=True)
class Choice:
    """What a measure is answered with."""

    setting: dict[str, Any]
    variant: str
    decision: str = ""
    cut: float | np.ndarray | None = None
    score: float = field(default=0.0, compare=False)

    def decide(self, answer: Answer, empty_seen: bool) -> np.ndarray:
        """Return the sets (n, L) of test rows."""
        if self.decision == CUT:
            return apply_cut(answer.marginals(), self.cut, empty_seen)
        return answer.sets(self.decision, empty_seen)

    def describe(self) -> dict[str, Any]:
        """Return plain data; per-label cuts are left out."""
        cut = {"cut": self.cut} if isinstance(self.cut, float) else {}
        variant = {"variant": self.variant} if self.variant else {}
        decision = {"decision": self.decision} if self.decision else {}
        return {**self.setting, **variant, **decision, **cut}


def measure_row(row: Row, X, Y, X_test, Y_test, seed: int) -> dict[str, Any]:
    """Tune a row on X (n, d) and Y (n, L), fit it and measure it on the test part.

    Returns
    -------
    dict
        "figures" by measure, "calibration" (per bin of the confidence: rows, sum of confidence,
        right sets, sum of c (1 - c)), "chosen" per measure, "seconds" of CPU: "search", "fit" and
        "predict", the last two for the exact match.
    """
    empty_seen = bool((Y.sum(axis=1) == 0).any())
    watch = Stopwatch()
    if row.self_tuned:
        choices = {m: Choice(row.settings[0], "", d) for m, d in SELF_DECIDED.items()}
        choices[LIKELIHOOD] = choices["subset_accuracy"]
    else:
        choices = _tune(row, X, Y, empty_seen, seed)
    seconds = {"search": watch.lap()}
    answers, figures = {}, {}
    for measure, choice in choices.items():
        key = repr(choice.setting)
        if key not in answers:
            watch.lap()
            fitted = row.fit(choice.setting, X, Y, seed)
            fit_seconds = watch.lap()
            answers[key] = row.ask(fitted, X_test)
        answer = answers[key][choice.variant]
        if measure == LIKELIHOOD:
            log_prob = set_log_likelihood(answer.log_prob(Y_test), Y_test, Y)
            figures[LIKELIHOOD] = float(log_prob.mean())
            continue
        try:
            sets = choice.decide(answer, empty_seen)
        except NotFittedError:  # a threshold that the model learns only if it is fitted for it
            choices[measure] = replace(choice, decision=DECODERS[measure])
            sets = choices[measure].decide(answer, empty_seen)
        figures[measure] = float(METRICS[measure](Y_test, sets))
        if measure == "subset_accuracy":  # the first of the measures
            seconds |= {"fit": fit_seconds, "predict": watch.lap()}
            right = (sets == Y_test).all(axis=1)
            calibration = calibration_bins(_confidence(answer, sets), right)
    return {
        "figures": figures,
        "calibration": calibration,
        "chosen": {measure: choice.describe() for measure, choice in choices.items()},
        "seconds": seconds,
    }


def _tune(row: Row, X, Y, empty_seen: bool, seed: int) -> dict[str, Choice]:
    """Return the choice for every measure, by what held-out rows of the training part say."""
    folds = inner_folds(len(Y), seed)
    candidates = [
        candidate
        for setting in row.settings
        for candidate in _candidates(row, setting, X, Y, folds, empty_seen, seed)
    ]
    choices = {}
    for measure, decoder in DECODERS.items():
        found = [
            _judge(candidate, measure, decision, Y, folds, empty_seen)
            for candidate in candidates
            for decision in (decoder, CUT)
        ]
        likelihood = np.repeat([candidate.log_likelihood for candidate in candidates], 2)
        best = max(range(len(found)), key=lambda i: (found[i].score, likelihood[i]))
        choices[measure] = found[best]
    best = max(candidates, key=lambda candidate: candidate.log_likelihood)
    choices[LIKELIHOOD] = Choice(best.setting, best.variant)
    return choices


def _candidates(row, setting, X, Y, folds, empty_seen, seed) -> list[Candidate]:
    """Fit one setting on every inner fold; return a candidate for each of the row's variants."""
    held_out: dict[str, list[Answer]] = {}
    for train, test in folds:
        fitted = row.fit(setting, X[train], Y[train], seed)
        for variant, answer in row.ask(fitted, X[test]).items():
            held_out.setdefault(variant, []).append(answer)
    order = np.argsort(np.concatenate([test for _, test in folds]))

    def in_order(parts):
        return np.concatenate(parts)[order]

    found = []
    for variant, answers in held_out.items():
        sets = {
            decoder: in_order([answer.sets(decoder, empty_seen) for answer in answers])
            for decoder in set(DECODERS.values())
        }
        log_prob = in_order([answer.log_prob(Y[test]) for answer, (_, test) in zip(answers, folds)])
        marginals = in_order([answer.marginals() for answer in answers])
        likelihood = float(set_log_likelihood(log_prob, Y, Y).mean())
        found.append(Candidate(setting, variant, marginals, sets, likelihood))
    return found


def _judge(candidate, measure, decision, Y, folds, empty_seen) -> Choice:
    """Score a decision on held-out rows; a cut is learned on the other folds for each of them."""
    if decision != CUT:
        value = score(measure, Y, candidate.sets[decision])
        return Choice(candidate.setting, candidate.variant, decision, score=value)
    P = candidate.marginals
    sets = np.empty(Y.shape, dtype=np.uint8)
    for train, test in folds:
        cut = learn_cut(measure, P[train], Y[train], empty_seen)
        sets[test] = apply_cut(P[test], cut, empty_seen)
    cut = learn_cut(measure, P, Y, empty_seen)
    return Choice(candidate.setting, candidate.variant, CUT, cut, score(measure, Y, sets))


def _confidence(answer: Answer, sets: np.ndarray) -> np.ndarray:
    own = answer.confidence() if hasattr(answer, "confidence") else None
    return np.exp(answer.log_prob(sets)) if own is None else own


def calibration_bins(confidence: np.ndarray, right: np.ndarray) -> dict[str, list]:
    """Return what the calibration error of any pool of folds can be computed from."""
    confidence = np.clip(confidence, 0.0, 1.0)
    bins = np.minimum((N_BINS * confidence).astype(int), N_BINS - 1)

    def sums(values):
        return np.bincount(bins, weights=values, minlength=N_BINS).round(6).tolist()

    return {
        "rows": np.bincount(bins, minlength=N_BINS).tolist(),
        "confidence": sums(confidence),
        "right": sums(right),
        "variance": sums(confidence * (1.0 - confidence)),
    }
