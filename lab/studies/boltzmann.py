"""The conditional restricted Boltzmann machine on real data, beside its targets.

    python -m lab.studies.boltzmann accept [--rate 0.3] [--splits 5] [--first 0]
    python -m lab.studies.boltzmann outside [--rate 0.3] [--splits 5] [--first 0]
    python -m lab.studies.boltzmann starts
    python -m lab.studies.boltzmann speed
    python -m lab.studies.boltzmann delicious

Set OMP_NUM_THREADS=1 for figures of one thread.

accept: corel5k, 3000 rows to learn from, of whose labels a share is dropped, the other 2000 to test
on. "own" F1 is of the model's decisions; "card" F1 of one threshold on all scores, such that there
are as many labels as without dropping; "freq" F1 of one threshold a label, such that each is as
frequent as without dropping. Recovery of dropped labels in three readings, from the features alone
as published, and given the named labels of the row.

outside: the same with label relatedness from corel16k and from word vectors.
starts: rows of yeast whose climb from each start ends at the most probable set.
"""

import argparse
import resource
import time

import numpy as np
from benchmarks.timing import show

from lab import Model, Stored
from lab.building import build
from lab.outside import CountedElsewhere, NearInWords
from lab.protocol import HiddenPositives
from lab.published.xli2015 import AS_PUBLISHED
from lab.scaling import FeatureScaler
from lab.tasks.classify import match_cardinality
from lab.tasks.recover import measure_recovery
from labelfield import BinaryRelevance, ConditionalRBM, LabelRecovery
from labelfield.datasets import load_dataset
from labelfield.metrics import f1_score, roc_auc

TARGETS = {
    "card micro-F1": 0.255,
    "AUC macro": 0.615,
    "AUC instance": 0.878,
    "ranking": 0.875,
    "freq macro-F1": 0.048,
}
WORDS = "glove/glove.6B.50d.subset.txt.gz"


def top_per_column(scores, counts):
    """Return sets in which each label has the given number of rows, those of highest score."""
    sets = np.zeros(scores.shape, dtype=np.uint8)
    order = np.argsort(-scores, axis=0, kind="stable")
    for label, count in enumerate(counts):
        sets[order[:count, label], label] = 1
    return sets


def figures(model, part, X, X_test, rate):
    """Return all figures of a fitted model by name."""
    truth, named = part.test.Y, part.train.Y
    scores = model.predict_proba(X_test)
    card = match_cardinality(scores, named.sum() / len(named) / (1 - rate))
    frequent = np.round(len(truth) * named.mean(axis=0) / (1 - rate)).astype(int)
    own = model.predict(X_test, decoder="subset")
    features_only = model.predict_proba(X)
    published = measure_recovery(part.extra, named, (features_only > 0.5) * 1, features_only)
    found = {
        "own micro-F1": f1_score(truth, own, average="micro"),
        "own macro-F1": f1_score(truth, own, average="macro"),
        "card micro-F1": f1_score(truth, card, average="micro"),
        "card macro-F1": f1_score(truth, card, average="macro"),
        "freq macro-F1": f1_score(truth, top_per_column(scores, frequent), average="macro"),
        "AUC macro": roc_auc(truth, scores),
        "AUC micro": roc_auc(truth, scores, average="micro"),
        "AUC instance": roc_auc(truth, scores, average="samples"),
        "recall": published["recovery_recall"],
        "top k": published["recovery_top_k"],
        "ranking": published["recovery_ranking"],
    }
    if hasattr(model, "recover_proba"):
        given = model.recover_proba(X, named)
        filled = measure_recovery(part.extra, named, model.recovered_, given)
        added = (model.recovered_ == 1) & (named == 0)
        found |= {
            "recall, given labels": filled["recovery_recall"],
            "top k, given labels": filled["recovery_top_k"],
            "ranking, given labels": filled["recovery_ranking"],
            "labels added": float(added.sum()),
            "precision of these": float(part.extra[added].mean()) if added.any() else float("nan"),
        }
    return found


def run(methods, rate, splits):
    """Return {method: {figure: array of one value a split}}."""
    found = {}
    for split in splits:
        part = HiddenPositives(rate).part(Stored("corel5k"), split)
        scaler = FeatureScaler(scale="mean-norm").fit(part.train.X)
        X, X_test = scaler.transform(part.train.X), scaler.transform(part.test.X)
        for title, make in methods.items():
            started = time.process_time()
            model = make(split).fit(X, part.train.Y)
            seconds = time.process_time() - started
            values = {**figures(model, part, X, X_test, rate), "fit, CPU s": seconds}
            for name, value in values.items():
                found.setdefault(title, {}).setdefault(name, []).append(value)
        print(f"split {split} done", flush=True)
    return found


def table(found):
    """Print means and deviations, a figure a line, a method a column."""
    print(f"{'':24s}" + "".join(f"{title:>22s}" for title in found))
    for name in max(found.values(), key=len):
        cells = [found[title].get(name) for title in found]
        line = "".join(
            f"{'-':>22s}" if cell is None else f"{np.mean(cell):14.4f} ±{np.std(cell):6.4f}"
            for cell in cells
        )
        print(f"{name:24s}{line}")


def machine(rate, **parameters):
    """Return a maker of seeded machines."""
    options = {"positives_only": True, "missing_rate": rate, **parameters}
    return lambda seed: build(Model("crbm", options), seed)


def accept(rate, splits):
    methods = {
        "BR": lambda seed: BinaryRelevance(alpha=1.0),
        "CRBM, published": machine(rate, **{**AS_PUBLISHED, "missing_rate": None}),
        "CRBM": machine(rate),
    }
    found = run(methods, rate, splits)
    table(found)
    for title in ("CRBM, published", "CRBM"):
        for name, target in TARGETS.items():
            mean = float(np.mean(found[title][name]))
            show(f"{title}: {name}", mean, target, at_most=False, unit="")
    gain = np.array(found["CRBM"]["top k, given labels"]) - found["BR"]["top k"]
    show("CRBM, given labels, over BR: top k", gain.mean(), gain.std(), at_most=False, unit="")


def outside(rate, splits):
    sources = {
        "corel16k": CountedElsewhere("corel5k", "corel16k001"),
        "word vectors": NearInWords("corel5k", WORDS),
    }
    methods = {"no knowledge": machine(rate)}
    for title, related in sources.items():
        matrix = related.matrix
        known = int((matrix != 0).any(axis=0).sum())
        print(f"{title}: {known} of {len(matrix)} labels are related to another")
        for weight in (0.1, 1.0):
            methods[f"{title}, {weight:g}"] = machine(
                rate, relatedness=matrix, relatedness_weight=weight
            )
    table(run(methods, rate, splits))


def starts():
    train, test = (load_dataset("yeast", split=split) for split in ("train", "test"))
    scaler = FeatureScaler(scale="mean-norm").fit(train.X)
    X, X_test = scaler.transform(train.X), scaler.transform(test.X)[:400]
    published = {**AS_PUBLISHED, "positives_only": False, "sparsity": 0.0}
    for title, parameters in (("published", published), ("default", {})):
        model = build(Model("crbm", {**parameters, "n_hidden": 20}), seed=0)
        joint = model.fit(X, train.Y).predict_joint(X_test)
        mode = joint.mode()
        log_prob = joint.log_prob(test.Y[:400]).mean()
        print(f"yeast, learned as {title}: log-probability of the test labels {log_prob:.3f}")
        for flips in (False, True):
            for start in ("paper", "bias", "meanfield"):
                recovery = LabelRecovery(start=start, flips=flips)
                sets = model.set_params(recovery=recovery).recover(X_test)
                target = 0.8 if start == "meanfield" and not flips else None
                agreement(f"{title}, from {start}{', flips' if flips else ''}", joint, sets, target)
        agreement(f"{title}, from mean field and training sets", joint, joint.climb())
        agreement(f"{title}, all sets listed", joint, mode)


def agreement(title, joint, sets, target=None):
    best = joint.mode()
    agree = float((sets == best).all(axis=1).mean())
    gap = float((joint.log_score(best) - joint.log_score(sets)).mean())
    show(f"{title}: gap {gap:.3f}", agree, target, at_most=False, unit="of rows at the mode")


def speed():
    part = HiddenPositives(0.3).part(Stored("corel5k"), 0)
    X = FeatureScaler(scale="mean-norm").fit_transform(part.train.X)

    def seconds(how, n_epochs):
        model = ConditionalRBM(
            positives_only=True,
            missing_rate=0.3,
            recovery=LabelRecovery(how, after=0),
            max_iter=n_epochs,
            n_draws=1,
            random_state=0,
        )
        started = time.process_time()
        model.fit(X, part.train.Y)
        return time.process_time() - started

    for how in (None, "sample"):
        seconds(how, 1)
        epoch = (seconds(how, 13) - seconds(how, 3)) / 10
        show(f"corel5k, an epoch, recovery={how!r}", epoch, 0.6)


def delicious():
    data = load_dataset("delicious", split="train")
    model = ConditionalRBM(n_hidden=100, positives_only=True, missing_rate=0.3, random_state=0)
    started = time.process_time()
    model.fit(data.X, data.Y)
    show(f"delicious, fit of {data.Y.shape}, CPU", time.process_time() - started, 600)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    show("delicious, peak memory", peak, 2.0, unit="GiB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["accept", "outside", "starts", "speed", "delicious"])
    parser.add_argument("--rate", type=float, default=0.3)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args()
    if chosen.what in ("accept", "outside"):
        splits = range(chosen.first, chosen.first + chosen.splits)
        {"accept": accept, "outside": outside}[chosen.what](chosen.rate, splits)
    else:
        {"starts": starts, "speed": speed, "delicious": delicious}[chosen.what]()


if __name__ == "__main__":
    main()
