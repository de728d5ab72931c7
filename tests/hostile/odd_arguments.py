"""Arguments of constructors, of `predict` and of `recover`."""

from functools import partial

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression

from hostile.cases import X, Y, refused, same
from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    ClassifierChain,
    ClassifierChainEnsemble,
    FastTag,
    LabelCompletion,
    LabelPowerset,
    MLkNN,
    PrecomputedProbabilities,
    RandomLabelsets,
    SetReranker,
    StackedRelevance,
)
from labelfield.calibrate import IsotonicSetCalibrator, NoiseRates
from labelfield.decode import F1Decoder

Chain = partial(ClassifierChain, tol=1e-9)
Calibrated = partial(CalibratedSetClassifier, BinaryRelevance())


def of(name):
    """Return what scikit-learn says of a wrong argument."""
    return refused(f"The '{name}' parameter of")


def nan_columns(rows, sets):
    return np.full((*sets.shape[:2], 1), np.nan)


def flat_columns(rows, sets):
    return np.zeros((len(sets), 1))


MODEL_ARGUMENTS = {
    "negative alpha": (lambda: BinaryRelevance(alpha=-1), of("alpha")),
    "alpha NaN": (lambda: BinaryRelevance(alpha=np.nan), of("alpha")),
    "infinite alpha": (lambda: BinaryRelevance(alpha=np.inf), of("alpha")),
    "alpha as text": (lambda: BinaryRelevance(alpha="1"), of("alpha")),
    "alpha for each label": (lambda: BinaryRelevance(alpha=np.ones(3)), of("alpha")),
    "complex alpha": (lambda: BinaryRelevance(alpha=1j), of("alpha")),
    "alpha 0 of FastTag": (lambda: FastTag(alpha=0), of("alpha")),
    "l1_ratio above 1": (lambda: BinaryRelevance(l1_ratio=2), of("l1_ratio")),
    "no iterations": (lambda: BinaryRelevance(max_iter=0), of("max_iter")),
    "half an iteration": (lambda: BinaryRelevance(max_iter=1.5), of("max_iter")),
    "negative tol": (lambda: BinaryRelevance(tol=-1), of("tol")),
    "n_jobs as text": (lambda: BinaryRelevance(n_jobs="2"), of("n_jobs")),
    "n_jobs 0": (lambda: BinaryRelevance(LogisticRegression(), n_jobs=0), refused("n_jobs == 0")),
    "estimator as text": (lambda: BinaryRelevance("logistic"), of("estimator")),
    "estimator as a class": (lambda: BinaryRelevance(LogisticRegression), of("estimator")),
    "estimator with a wrong argument": (lambda: BinaryRelevance(LogisticRegression(C=-1)), of("C")),
    "decoder of no name": (lambda: BinaryRelevance(decoder="nope"), refused("decoder must be one")),
    "decoder as a class": (lambda: BinaryRelevance(decoder=F1Decoder), of("decoder")),
    "no decoder": (lambda: BinaryRelevance(decoder=None), of("decoder")),
    "power set of a regression": (
        lambda: LabelPowerset(LinearRegression()),
        refused("neither predict_proba nor decision_function"),
    ),
    "order too short": (lambda: Chain(order=[0, 1]), refused("order must hold the numbers 0..2")),
    "order with a label twice": (lambda: Chain(order=[0, 0, 1]), refused("order must hold")),
    "order from -1": (lambda: Chain(order=[-1, 0, 1]), refused("order must hold")),
    "order of fractions": (lambda: Chain(order=[0.5, 1, 2]), refused("order must hold")),
    "order with None": (lambda: Chain(order=[None, 1, 2]), refused("order must hold")),
    "order of names": (lambda: Chain(order=["a", "b", "c"]), refused("order holds text")),
    "order of two dimensions": (lambda: Chain(order=[[0, 1, 2]]), refused("order must hold")),
    "ragged order": (lambda: Chain(order=[[0], [1, 2]]), refused("order has rows of different")),
    "order as a set": (lambda: Chain(order={0, 1, 2}), refused("order is of type set", TypeError)),
    "order of no name": (lambda: Chain(order="alphabetic"), of("order")),
    "no neighbours": (lambda: MLkNN(n_neighbors=0), of("n_neighbors")),
    "neighbours as a float": (lambda: MLkNN(n_neighbors=3.0), of("n_neighbors")),
    "metric of no name": (lambda: MLkNN(metric="nope"), of("metric")),
    "precomputed metric": (lambda: MLkNN(metric="precomputed"), refused("metric='precomputed'")),
    "metric for two columns": (lambda: MLkNN(metric="haversine"), refused("Haversine distance")),
    "metric that gives NaN": (lambda: MLkNN(metric=lambda a, b: np.nan), refused("metric gives")),
    "metric that gives text": (lambda: MLkNN(metric=lambda a, b: "x"), refused("metric gives 'x'")),
    "no smoothing": (lambda: MLkNN(smoothing=0), of("smoothing")),
    "smoothing beyond floats": (lambda: MLkNN(smoothing=1e308), of("smoothing")),
    "count_self as text": (lambda: MLkNN(count_self="yes"), of("count_self")),
    "groups without labels": (lambda: RandomLabelsets(set_size=0), of("set_size")),
    "number of disjoint groups": (
        lambda: RandomLabelsets(overlapping=False, n_sets=2),
        refused("n_sets=2 with overlapping=False"),
    ),
    "seed as text": (lambda: RandomLabelsets(random_state="x"), of("random_state")),
    "negative seed": (lambda: RandomLabelsets(random_state=-1), of("random_state")),
    "no chains": (lambda: ClassifierChainEnsemble(n_chains=0), of("n_chains")),
    "chains of no rows": (lambda: ClassifierChainEnsemble(subsample=0.0), of("subsample")),
    "one fold": (lambda: StackedRelevance(cv=1), of("cv")),
    "folds as a splitter": (lambda: StackedRelevance(cv=MLkNN()), of("cv")),
    "completion of a regression": (
        lambda: LabelCompletion(LinearRegression()),
        refused("has no predict_joint"),
    ),
    "missing_rate 1": (
        lambda: LabelCompletion(LabelPowerset(), missing_rate=1),
        of("missing_rate"),
    ),
    "nothing to calibrate": (lambda: CalibratedSetClassifier(None), of("estimator")),
    "a class to calibrate": (lambda: CalibratedSetClassifier(BinaryRelevance), of("estimator")),
    "a regression to calibrate": (
        lambda: CalibratedSetClassifier(LinearRegression()),
        refused("neither predict_joint nor predict_proba"),
    ),
    "calibrator of no name": (
        lambda: Calibrated(calibrator="platt"),
        refused("calibrator must be"),
    ),
    "calibrator as a class": (
        lambda: Calibrated(calibrator=IsotonicSetCalibrator),
        of("calibrator"),
    ),
    "calibration on no rows": (lambda: Calibrated(cv=0.0), of("cv")),
    "calibration on one row": (lambda: Calibrated(cv=1e-9), refused("n_samples=1 cannot be split")),
    "calibration on almost all rows": (
        lambda: Calibrated(cv=0.999),
        refused("leaves a part empty"),
    ),
    "one fold of promises": (lambda: Calibrated(promise=1), of("promise")),
    "prefit but not fitted": (lambda: Calibrated(cv="prefit"), refused("is not fitted yet")),
    "prefit with other labels": (
        lambda: CalibratedSetClassifier(BinaryRelevance().fit(X, Y[:, :2]), cv="prefit"),
        refused("predicts 2 labels, but Y has 3"),
    ),
    "prefit with other features": (
        lambda: CalibratedSetClassifier(BinaryRelevance().fit(X[:, :2], Y), cv="prefit"),
        refused("X has 4 features"),
    ),
    "extra features of NaN": (
        lambda: Calibrated(extra_features=nan_columns),
        refused("U contains"),
    ),
    "extra features of two dimensions": (
        lambda: Calibrated(extra_features=flat_columns),
        refused("extra_features.* must return an array of shape"),
    ),
    "noise as a number": (lambda: Calibrated(noise=0.1), of("noise")),
    "noise of other rows": (lambda: Calibrated(noise=NoiseRates([0.1, 0.2])), refused("one rate")),
    "no candidates": (lambda: SetReranker(BinaryRelevance(), n_candidates=0), of("n_candidates")),
    "features as probabilities": (
        PrecomputedProbabilities,
        refused("one probability per label: got 4 columns for 3"),
    ),
}

ODD_ARGUMENTS = {  # that get an answer
    "order as a tuple of floats": (lambda: Chain(order=(0.0, 1.0, 2.0)), same(Chain)),
    "order as a range": (lambda: Chain(order=range(3)), same(Chain)),
    "more neighbours than rows": (
        lambda: MLkNN(n_neighbors=10**9),
        same(lambda: MLkNN(n_neighbors=59)),
    ),
    "own metric": (
        lambda: MLkNN(metric=lambda a, b: float(((a - b) ** 2).sum() ** 0.5)),
        same(MLkNN),
    ),
    "more labels in a group than there are": (
        lambda: RandomLabelsets(set_size=99, tol=1e-9, random_state=0),
        same(lambda: LabelPowerset(tol=1e-9)),
    ),
    "as many folds as rows": (
        lambda: StackedRelevance(cv=99),
        same(lambda: StackedRelevance(cv=60)),
    ),
    "more candidates than sets": (
        lambda: SetReranker(BinaryRelevance(), n_candidates=99, calibrator="identity", cv=2),
        same(lambda: SetReranker(BinaryRelevance(), n_candidates=8, calibrator="identity", cv=2)),
    ),
    "alpha as a bool": (
        lambda: BinaryRelevance(alpha=True),
        same(lambda: BinaryRelevance(alpha=1.0)),
    ),
    "relevance of relevance": (
        lambda: BinaryRelevance(BinaryRelevance(alpha=1.0, tol=1e-9)),
        same(lambda: BinaryRelevance(alpha=1.0, tol=1e-9)),
    ),
}

DECODERS = {
    "no name": ("nope", refused("decoder must be one of")),
    "a class": (F1Decoder, refused("decoder must be one of")),
    "a number": (3, refused("decoder must be one of")),
    "a list": (["f1"], refused("decoder must be one of")),
    "thresholds that were not learned": ("threshold_f1_macro", refused("not learned yet")),
}
