"""Figures of set confidence on real data, beside the targets.

    python -m lab.studies.trust.calibration [names]

safety       calibrated against raw Brier score on emotions, scene and yeast, ten splits
margins      the same on emotions, with stricter choices of the calibrator
calibrators  bibtex: square error and sharpness of each calibrator, parts of 50/10/10/10/20 %
rerank       bibtex: BR, BR without empty sets, and reranked, 80/20 %
noise        tmc2007-500: alignment error after calibration on noisy annotations
sizes        instance F1 with curves for label and size, four data sets, ten splits
joints       scene and emotions: mixtures and fields, calibrated and reranked, one split
"""

import sys
import time

import numpy as np
import scipy.sparse as sp
from benchmarks.timing import show
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelfield import (
    AutoSetCalibrator,
    BinaryRelevance,
    BoostedSetCalibrator,
    CalibratedF1Decoder,
    CalibratedSetClassifier,
    ConditionalBernoulliMixture,
    IdentitySetCalibrator,
    IsotonicSetCalibrator,
    LabelPowerset,
    NoiseRates,
    PairwiseCRF,
    SetReranker,
    TreeSetCalibrator,
)
from labelfield.calibrate.describe import SetPrior, describe_sets
from labelfield.calibrate.labels import LabelCurves
from labelfield.datasets import load_dataset
from labelfield.metrics import alignment_error, brier_score, f1_score, sharpness, subset_accuracy

SAFE_ON = ("emotions", "scene", "yeast")
CALIBRATORS = {
    "none": IdentitySetCalibrator(),
    "isotonic": IsotonicSetCalibrator(),
    "isotonic by cardinality": IsotonicSetCalibrator(by="cardinality"),
    "tree": TreeSetCalibrator(),
    "GB-MSE": BoostedSetCalibrator(monotone=False),
    "GB-MSE monotone": BoostedSetCalibrator(),
    "GB-KL monotone": BoostedSetCalibrator(loss="kl"),
}


def hits_of(Y, sets):
    return subset_accuracy(Y, sets, average="rows")


def safety():
    """Compare the calibrated with the raw confidence; 75/25 inside the training part, and folds."""
    for name in SAFE_ON:
        data = load_dataset(name)
        X, Y = np.asarray(data.X), data.Y
        for title, model in (
            ("BR", BinaryRelevance(alpha=10.0)),
            ("LP", LabelPowerset(alpha=10.0)),
        ):
            for cv in (0.25, 5):
                worse = [
                    _loss_by_calibration(model, cv, X, Y, train, test)
                    for train, test in ShuffleSplit(10, test_size=0.2, random_state=0).split(X)
                ]
                raw, calibrated = np.mean(worse, axis=0)
                what = f"{name} {title} cv={cv}: Brier {raw:.4f} raw, {calibrated:.4f} calibrated"
                show(what, calibrated - raw, 0.002, unit="worse")
                show("  worst of the ten splits", np.diff(worse).max(), 0.002, unit="worse")


def _loss_by_calibration(model, cv, X, Y, train, test, calibrator="auto"):
    pipeline = make_pipeline(StandardScaler(), model)
    fitted = CalibratedSetClassifier(pipeline, cv=cv, promise=None, calibrator=calibrator)
    fitted.fit(X[train], Y[train])
    sets = fitted.predict(X[test])
    correct = hits_of(Y[test], sets)
    raw = np.exp(fitted.predict_joint(X[test]).log_prob(sets))
    return brier_score(raw, correct), brier_score(fitted.predict_confidence(X[test]), correct)


def margins():
    """Ask more standard errors of a calibrator on emotions before the raw score is given up."""
    data = load_dataset("emotions")
    X, Y = np.asarray(data.X), data.Y
    for title, model in (("BR", BinaryRelevance(alpha=10.0)), ("LP", LabelPowerset(alpha=10.0))):
        for margin in (1.0, 2.0, 3.0):
            calibrator = AutoSetCalibrator(margin=margin)
            worse = [
                np.diff(_loss_by_calibration(model, 5, X, Y, train, test, calibrator))
                for train, test in ShuffleSplit(10, test_size=0.2, random_state=0).split(X)
            ]
            what = f"emotions {title} cv=5, margin {margin:g}"
            show(f"{what}: Brier worse by, mean of ten splits", np.mean(worse), 0.002, unit="")
            show("  worst of the ten splits", np.max(worse), 0.002, unit="")


def calibrators():
    """Calibrate BR's own sets on separate parts, as the thesis does."""
    data = load_dataset("bibtex")
    X, Y = data.X, data.Y
    order = np.random.default_rng(0).permutation(len(Y))
    train, curves, calibration, test = np.split(
        order, (np.array([0.5, 0.6, 0.8]) * len(Y)).astype(int)
    )
    model = BinaryRelevance(alpha=1.0, decoder="hamming").fit(X[train], Y[train])
    labels = LabelCurves(model.predict_proba(X[curves]), Y[curves])
    prior = SetPrior(Y[train])

    def described(rows):
        joint = labels.apply(model.predict_joint(X[rows]))
        sets = joint.mode()
        return describe_sets(joint, sets[:, None], prior), hits_of(Y[rows], sets)

    (U, v), (U_test, v_test) = described(calibration), described(test)
    print(
        f"accuracy {v_test.mean():.3f}, uncertainty {v_test.var():.3f}; MSE, sharpness, alignment"
    )
    for title, calibrator in CALIBRATORS.items():
        c = calibrator.fit(U, v).predict(U_test)
        figures = (brier_score(c, v_test), sharpness(c, v_test), alignment_error(c, v_test))
        print(f"{title:26s} {figures[0]:.4f} {figures[1]:.4f} {figures[2]:.4f}", flush=True)
        if title.startswith("GB"):
            show(f"bibtex {title} square error", figures[0], 0.072, unit="")


def rerank():
    """Rerank BR's ten best sets, cross-fitted."""
    data = load_dataset("bibtex")
    X, Y = data.X, data.Y
    train, test = next(ShuffleSplit(1, test_size=0.2, random_state=0).split(Y))

    def line(title, sets):
        exact = 100.0 * subset_accuracy(Y[test], sets)
        f1 = 100.0 * f1_score(Y[test], sets, average="samples")
        print(f"{title:34s} exact {exact:.1f}  F1 {f1:.1f}", flush=True)
        return exact

    start = time.process_time()
    for title, loss, monotone in (
        ("MSE monotone", "mse", True),
        ("KL monotone", "kl", True),
        ("MSE", "mse", False),
    ):
        calibrator = BoostedSetCalibrator(loss=loss, monotone=monotone)
        model = SetReranker(
            BinaryRelevance(alpha=1.0, decoder="hamming"),
            calibrator=calibrator,
            cv=4,
            promise=None,
        )
        model.fit(X[train], Y[train])
        joint = model._calibrated_joint(X[test])
        if title == "MSE monotone":
            line("BR, raw", model.estimator_.predict(X[test]))
            plain = line("BR, isotonic labels", joint.mode())
            line("BR, isotonic labels, no empty set", joint.mode(allow_empty=False))
            best = joint.top_k(10, allow_empty=False)[0]
            oracle = (best == Y[test][:, None]).all(axis=2).any(axis=1).mean()
            print(f"{'oracle at 10':34s} exact {100 * oracle:.1f}")
        reranked = line(f"BR-rerank, {title}", model.predict(X[test]))
        show(f"bibtex rerank {title}", reranked, 21.5, at_most=False, unit="%")
        show(
            f"bibtex rerank {title}, gain on BR",
            reranked - plain,
            4.5,
            at_most=False,
            unit="points",
        )
        line(f"BR-rerank, {title}, GFM", model.predict(X[test], decoder="f1"))
        print(f"{model.calibrator_.n_iter_} trees, {time.process_time() - start:.0f} CPU s so far")


def noise():
    """Calibrate on annotations of which a share has one label flipped; test on clean ones.

    A flip always spoils a right set, so the share is the rate of misses; the rare false hits are
    taken as none.
    """
    data = load_dataset("tmc2007-500")
    X, Y = data.X, data.Y
    order = np.random.default_rng(0).permutation(len(Y))
    n_calibration = 7507
    train, calibration, test = np.split(order, [len(Y) - 2 * n_calibration, len(Y) - n_calibration])
    model = BinaryRelevance(alpha=1.0, decoder="hamming").fit(X[train], Y[train])
    prior = SetPrior(Y[train])

    def described(rows):
        joint = model.predict_joint(X[rows])
        sets = joint.mode()
        return describe_sets(joint, sets[:, None], prior), sets

    (U, sets), (U_test, sets_test) = described(calibration), described(test)
    v_test = hits_of(Y[test], sets_test)
    rng = np.random.default_rng(1)
    for title, levels in (("0.2", [0.2]), ("0.5", [0.5]), ("mixed", [0.1, 0.3, 0.5])):
        miss = rng.choice(levels, len(sets))
        noisy = Y[calibration].copy()
        flipped = np.flatnonzero(rng.random(len(sets)) < miss)
        noisy[flipped, rng.integers(0, Y.shape[1], len(flipped))] ^= 1
        v = hits_of(noisy, sets)
        plain = BoostedSetCalibrator(loss="kl").fit(U, v).predict(U_test)
        before = alignment_error(plain, v_test)
        error = brier_score(plain, v_test)
        print(f"noise {title}: plain GB-KL MSE {error:.4f}, alignment {before:.4f}")
        for name, calibrator in (
            ("GB-KL", BoostedSetCalibrator(loss="kl")),
            ("GB-MSE", BoostedSetCalibrator()),
            ("isotonic", IsotonicSetCalibrator()),
        ):
            c = calibrator.fit(U, v, noise=NoiseRates(miss)).predict(U_test)
            error, after = brier_score(c, v_test), alignment_error(c, v_test)
            print(f"  robust {name}: MSE {error:.4f}, alignment {after:.4f}, mean {c.mean():.3f}")
            show(
                f"  robust {name} alignment at noise {title}",
                after,
                min(0.004, before / 2),
                unit="",
            )


def sizes():
    """Compare F1 decisions with and without curves for label and size, ten splits."""
    always = CalibratedF1Decoder(margin=-np.inf)
    for name in ("emotions", "medical", "scene", "yeast"):
        data = load_dataset(name)
        X, Y = data.X, data.Y
        for title, model in (("BR", BinaryRelevance(alpha=1.0)), ("LP", LabelPowerset(alpha=1.0))):
            rows = []
            for train, test in ShuffleSplit(10, test_size=0.2, random_state=0).split(Y):
                figures = []
                for decoder in ("f1", always, CalibratedF1Decoder()):
                    scale = StandardScaler(with_mean=not sp.issparse(X))
                    fitted = make_pipeline(scale, clone(model).set_params(decoder=decoder))
                    sets = fitted.fit(X[train], Y[train]).predict(X[test])
                    figures.append(f1_score(Y[test], sets, average="samples"))
                rows.append(figures)
            plain, curves, chosen = np.mean(rows, axis=0)
            worst = np.max(np.array(rows)[:, 0] - np.array(rows)[:, 2])
            print(
                f"{name} {title}: F1 {plain:.4f} plain, {curves:.4f} with all curves, "
                f"{chosen:.4f} with curves where they help; most lost in a split {worst:.4f}",
                flush=True,
            )
            show(
                f"{name} {title}: F1 lost by curves where they help", plain - chosen, 0.002, unit=""
            )


def joints():
    """Calibrate and rerank joints that are no products, cross-fitted."""
    models = {
        "CBM": ConditionalBernoulliMixture(alpha=1.0, random_state=0, decoder="subset"),
        "CRF": PairwiseCRF(alpha=1.0, decoder="subset"),
    }
    for name in ("emotions", "scene"):
        data = load_dataset(name)
        X, Y = np.asarray(data.X), data.Y
        train, test = next(ShuffleSplit(1, test_size=0.2, random_state=0).split(Y))
        for title, model in models.items():
            pipeline = make_pipeline(StandardScaler(), model)
            fitted = CalibratedSetClassifier(pipeline, cv=3, promise=None)
            sets = fitted.fit(X[train], Y[train]).predict(X[test])
            v = hits_of(Y[test], sets)
            raw = np.exp(fitted.predict_joint(X[test]).log_prob(sets))
            c = fitted.predict_confidence(X[test])
            reranker = SetReranker(pipeline, cv=3, calibrator="boosted", promise=None)
            again = reranker.fit(X[train], Y[train]).predict(X[test])
            print(
                f"{name} {title}: alignment {alignment_error(raw, v):.4f} raw, "
                f"{alignment_error(c, v):.4f} calibrated; Brier {brier_score(raw, v):.4f}, "
                f"{brier_score(c, v):.4f}; exact {100 * v.mean():.1f} own, "
                f"{100 * subset_accuracy(Y[test], again):.1f} reranked",
                flush=True,
            )


TABLES = {
    "safety": safety,
    "margins": margins,
    "calibrators": calibrators,
    "rerank": rerank,
    "noise": noise,
    "sizes": sizes,
    "joints": joints,
}


def main(names):
    for name in names or TABLES:
        print(f"\n== {name}", flush=True)
        TABLES[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
