"""Calls of metrics, splits, calibrators and noise rates: each row is a call."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

from hostile.cases import HOLED, UNKNOWN, X, Y, refused, same
from hostile.odd_questions import broken_sets
from labelfield import BinaryRelevance, recover
from labelfield.calibrate import NoiseRates
from labelfield.metrics import (
    brier_score,
    expected_calibration_error,
    f1_score,
    get_scorer,
    hamming_loss,
    pairwise_score,
    precision_at_k,
    reliability_bins,
    roc_auc,
    share_at_accuracy,
)
from labelfield.model_selection import (
    MultilabelStratifiedKFold,
    stratified_parts,
    stratified_split,
)
from labelfield.promise import AcceptancePlan, acceptance

RNG = np.random.default_rng(0)
PREDICTED = np.where(RNG.random(Y.shape) < 0.2, 1 - Y, Y)
SCORES = RNG.random(Y.shape)
SURE, RIGHT = RNG.random(60), Y[:, 0]


def f1(Y_true=Y, Y_pred=PREDICTED, **options):
    return partial(f1_score, Y_true, Y_pred, **options)


def auc(Y_true=Y, Y_score=SCORES):
    return partial(roc_auc, Y_true, Y_score)


def brier(confidence=SURE, correct=RIGHT):
    return partial(brier_score, confidence, correct)


def bins(n_bins):
    return partial(expected_calibration_error, SURE, RIGHT, n_bins=n_bins)


def halved():
    arrays = np.full(2 * Y.sum(), 0.5), np.repeat(np.nonzero(Y)[1], 2)
    return sp.csr_matrix((*arrays, 2 * np.append(0, Y.sum(axis=1).cumsum())), shape=Y.shape)


METRICS = {
    "lists": (f1(Y.tolist(), PREDICTED.tolist()), same(f1())),
    "frames": (f1(pd.DataFrame(Y), pl.DataFrame(PREDICTED)), same(f1())),
    "sparse ones in halves": (f1(halved()), same(f1())),
    "masked truth": (f1(np.ma.masked_array(Y, mask=UNKNOWN)), same(f1(HOLED))),
    "truth with None": (f1(np.where(UNKNOWN, None, Y.astype(object))), same(f1(HOLED))),
    "masked prediction": (f1(Y, np.ma.masked_array(Y, mask=UNKNOWN)), refused("Y_pred holds NaN")),
    "text": (f1(Y.astype(str)), refused("Y_true holds text")),
    "dates": (f1(Y.astype("datetime64[s]")), refused("Y_true holds dates")),
    "complex": (f1(Y, PREDICTED * 1j), refused("Complex data not supported: Y_pred")),
    "damaged csr": (f1(broken_sets()), refused("Y_true is a damaged csr")),
    "nothing": (f1(None), refused("Y_true is of type NoneType", TypeError)),
    "generator": (f1(iter(Y)), refused("Y_true is of type", TypeError)),
    "numbers": (f1(1, 1), refused("Y_true has 0 dimensions")),
    "three dimensions": (f1(Y[None]), refused("Y_true has 3 dimensions")),
    "no rows": (f1(Y[:0], Y[:0]), refused("holds no known entry")),
    "other labels": (f1(Y, PREDICTED[:, :2]), refused("Y_pred has shape")),
    "tags": (f1([["a"], ["b", "c"]]), refused("Y_true has rows of different lengths")),
    "average of no name": (f1(average="mean"), refused("average='mean' is not known")),
    "average as a list": (f1(average=[]), refused("average=.* is not known")),
    "score of empty sets as text": (f1(empty="1"), refused("empty='1' must lie in")),
    "score of empty sets NaN": (f1(empty=np.nan), refused("empty=nan must lie in")),
    "256 as a label": (partial(hamming_loss, Y, 256 * PREDICTED), refused("Y_pred holds 256")),
    "pairs of no name": (
        partial(pairwise_score, Y, PREDICTED, metric="cosine"),
        refused("metric='cosine' is not known"),
    ),
    "scores as a frame": (auc(Y, pd.DataFrame(SCORES)), same(auc())),
    "scores near 1e308": (auc(Y, SCORES * 1e308), same(auc())),
    "masked scores": (auc(Y, np.ma.masked_array(SCORES, mask=UNKNOWN)), refused("Y_score holds")),
    "scores with NaN": (auc(Y, HOLED), refused("Y_score holds NaN")),
    "infinite scores": (auc(Y, SCORES * np.inf), refused("Y_score holds NaN or infinity")),
    "scores as text": (auc(Y, SCORES.astype(str)), refused("Y_score holds text")),
    "complex scores": (auc(Y, SCORES * 1j), refused("Complex data not supported: Y_score")),
    "sparse scores": (auc(Y, sp.csr_matrix(SCORES)), refused("Y_score is of type csr", TypeError)),
    "k 0": (partial(precision_at_k, Y, SCORES, k=0), refused("k=0 must be a whole number")),
    "k 1.5": (partial(precision_at_k, Y, SCORES, k=1.5), refused("k=1.5 must be a whole number")),
    "k as text": (partial(precision_at_k, Y, SCORES, k="1"), refused("k='1' must be a whole")),
    "k beyond the labels": (partial(precision_at_k, Y, SCORES, k=4), refused("between 1 and 3")),
    "masked hits": (
        brier(SURE, np.ma.masked_array(RIGHT, mask=UNKNOWN[:, 0])),
        same(brier(SURE, HOLED[:, 0])),
    ),
    "bools as hits": (brier(SURE, RIGHT == 1), same(brier())),
    "log-probabilities": (brier(np.log(SURE)), refused("confidence must lie in .* not log")),
    "confidence NaN": (brier(SURE * np.nan), refused("confidence must lie in")),
    "confidence as text": (brier(["high"] * 60), refused("confidence holds text")),
    "confidence for each label": (brier(SCORES), refused("confidence has 2 dimensions")),
    "hits of other rows": (brier(SURE, RIGHT[:9]), refused("confidence has 60 rows and correct")),
    "hits of 2": (brier(SURE, 2 * RIGHT), refused("correct must lie in")),
    "no hits at all": (brier([], []), refused("correct holds no known row")),
    "no bins": (bins(0), refused("n_bins=0 must be a whole number")),
    "2.5 bins": (bins(2.5), refused("n_bins=2.5 must be a whole number")),
    "bins as text": (bins("5"), refused("n_bins='5' must be a whole number")),
    "1e13 bins": (
        partial(reliability_bins, SURE, RIGHT, n_bins=10**13),
        refused("n_bins=10000000000000 must be a whole number"),
    ),
    "accuracy above 1": (partial(share_at_accuracy, SURE, RIGHT, 2), refused("accuracy=2 must")),
    "accuracy as text": (
        partial(share_at_accuracy, SURE, RIGHT, "x"),
        refused("accuracy='x' must"),
    ),
    "scorer of no name": (partial(get_scorer, "nope"), refused("name='nope' is not known")),
    "scorer as a list": (partial(get_scorer, ["f1"]), refused("is not known; choose one of")),
}


def folds(labels=Y, rows=X, **options):
    """Return a function that makes three folds and gives the fold of each row."""

    def call():
        splitter = MultilabelStratifiedKFold(**({"n_splits": 3} | options))
        answer = np.empty(len(rows))
        for number, (_, test) in enumerate(splitter.split(rows, labels)):
            answer[test] = number
        return answer

    return call


def split(labels=Y, **options):
    return lambda: stratified_split(labels, **({"random_state": 0} | options))[1]


def parts(shares, labels=Y):
    return partial(stratified_parts, labels, shares, random_state=0)


SPLITS = {
    "masked labels": (
        folds(np.ma.masked_array(Y, mask=UNKNOWN)),
        same(folds(np.where(UNKNOWN, 0, Y))),
    ),
    "labels as a frame": (folds(pd.DataFrame(Y)), same(folds())),
    "sparse ones in halves": (folds(halved()), same(folds())),
    "one fold": (folds(n_splits=1), refused("n_splits=1 must be an integer")),
    "2.5 folds": (folds(n_splits=2.5), refused("n_splits=2.5 must be an integer")),
    "folds as text": (folds(n_splits="5"), refused("n_splits='5' must be an integer")),
    "more folds than rows": (folds(n_splits=99), refused("n_splits=99 is more than the 60 rows")),
    "no labels": (folds(None), refused("y is None")),
    "text": (folds(["a"] * 60), refused("y holds text")),
    "fractions": (folds(X), refused("y holds .*entries must be 0, 1")),
    "damaged csr": (folds(broken_sets()), refused("y is a damaged csr")),
    "other rows": (folds(rows=X[:50]), refused("inconsistent numbers of samples")),
    "order 3": (folds(order=3), refused("order=3 must be 1")),
    "order as an array": (folds(order=np.array([1, 2])), refused("order=.* must be 1")),
    "seed without shuffling": (folds(random_state=1), refused("random_state has no effect")),
    "shuffle as text": (folds(shuffle="no"), refused("shuffle='no' must be True or False")),
    "seed as text": (folds(shuffle=True, random_state="x"), refused("random_state must be")),
    "negative seed": (split(random_state=-1), refused("random_state must be .*at least 0")),
    "seed of 2.5": (split(random_state=2.5), refused("random_state must be")),
    "test part of 0": (split(test_size=0), refused("test_size=0 of 60 rows leaves")),
    "test part of all": (split(test_size=60), refused("test_size=60 of 60 rows leaves")),
    "test part of -1": (split(test_size=-1), refused("test_size=-1 of 60 rows leaves")),
    "test part of 2.5": (split(test_size=2.5), refused("test_size=2.5 of 60 rows leaves")),
    "test part of NaN": (split(test_size=np.nan), refused("test_size=nan of 60 rows leaves")),
    "infinite test part": (split(test_size=np.inf), refused("test_size=inf of 60 rows leaves")),
    "test part as text": (split(test_size="0.2"), refused("test_size='0.2' must be a share")),
    "test part True": (split(test_size=True), refused("test_size=True must be a share")),
    "no rows to split": (split(Y[:0]), refused("of 0 rows leaves a part empty")),
    "one row to split": (split(Y[:1]), refused("of 1 rows leaves a part empty")),
    "shares beyond 1": (parts([0.5, 0.6]), refused("shares=.* must be positive")),
    "negative share": (parts([1.5, -0.5]), refused("shares=.* must be positive")),
    "share NaN": (parts([np.nan, 1.0]), refused("shares=.* must be positive")),
    "shares as text": (parts(["a", "b"]), refused("shares holds text")),
    "no shares": (parts([]), refused("shares=.* must be positive")),
    "one number as shares": (parts(0.5), refused("shares=0.5 must be positive")),
    "shares None": (parts(None), refused("shares is of type NoneType", TypeError)),
}


def threshold(confidence=SURE, correct=RIGHT, **options):
    def accept():
        plan = AcceptancePlan.from_confidences(SURE, len(RIGHT), **options)
        return acceptance(confidence, correct, plan).threshold

    return accept


def estimate(**arguments):
    return lambda: NoiseRates.estimate(**({"v": [1, 0, 1, 0]} | arguments))


def judge(**arguments):
    options = {"X": X, "Y": Y, "model": BinaryRelevance(), "cv": 2} | arguments
    return lambda: recover(**options).probabilities


CALIBRATION = {
    "threshold of NaN": (threshold(SURE * np.nan), refused("confidence holds NaN")),
    "threshold of text": (threshold(["a"] * 60), refused("confidence holds text")),
    "threshold for hits of 2": (threshold(correct=RIGHT + 2), refused("value must be 0 or 1")),
    "threshold for masked hits": (
        threshold(correct=np.ma.masked_array(RIGHT, mask=UNKNOWN[:, 0])),
        same(threshold(correct=np.where(UNKNOWN[:, 0], np.nan, RIGHT))),
    ),
    "threshold for other rows": (threshold(correct=RIGHT[:9]), refused("of one shape")),
    "accuracy 1": (threshold(accuracy=1), refused("accuracy must lie strictly between")),
    "accuracy as text": (threshold(accuracy="x"), refused("accuracy must lie strictly")),
    "level NaN": (threshold(confidence_level=np.nan), refused("confidence_level must lie")),
    "no rows for a threshold": (threshold([], []), same(lambda: np.inf)),
    "rate NaN": (partial(NoiseRates, np.nan), refused("miss must be a rate")),
    "rate as text": (partial(NoiseRates, "low"), refused("miss is of type str", TypeError)),
    "rate None": (partial(NoiseRates, None), refused("miss is of type NoneType", TypeError)),
    "rate 1": (partial(NoiseRates, 1.0), refused("miss must be a rate")),
    "rates of 1 together": (partial(NoiseRates, 0.6, 0.6), refused("miss [+] false_hit must")),
    "no rates": (partial(NoiseRates, []), refused("miss must be a rate")),
    "masked rates": (
        partial(NoiseRates, np.ma.masked_array([0.1, 0.2], mask=[1, 0])),
        refused("miss must be a rate"),
    ),
    "rates of other rows": (partial(NoiseRates, [0.1] * 2, [0.1] * 3), refused("miss has 2 rates")),
    "nothing to estimate rates from": (estimate(), refused("cannot be found from v alone")),
    "clean part of other rows": (estimate(clean=[1, 0]), refused("clean has shape")),
    "coders of other rows": (estimate(coders=["a"], known={"a": 0.1}), refused("coders has shape")),
    "known rates as text": (
        estimate(coders=list("abab"), known="a"),
        refused("known must be a dict"),
    ),
    "recover with one fold": (judge(cv=1), refused("cv=1 and n_samples=60")),
    "recover with folds as text": (judge(cv="all"), refused("cv='all' and n_samples=60")),
    "recover by a class": (
        judge(model=BinaryRelevance),
        refused("no object that has predict_given"),
    ),
    "recover by nothing": (judge(model=None), refused("no object that has predict_given")),
    "recover nothing known": (judge(Y=np.full(Y.shape, np.nan)), refused("Y marks no label")),
    "recover with a rate as text": (judge(missing_rate="low"), refused("missing_rate must lie")),
    "recover with a rate of 0": (judge(wrong_rate=0), refused("wrong_rate must lie in")),
    "recover with positives as text": (
        judge(positives_only="yes"),
        refused("positives_only='yes'"),
    ),
    "recover masked labels": (
        judge(Y=np.ma.masked_array(Y, mask=UNKNOWN)),
        same(judge(Y=HOLED)),
    ),
}
