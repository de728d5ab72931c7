"""Label rules at work: a code book with three kinds of rules, and seven published hierarchies.

    python -m lab.studies.rules [hate] [NAME_OF_A_HIERARCHY ...]

`hate`: Indonesian tweets as raw text (term weights of words and pairs), random 80/20 splits, five
seeds; rows that break a rule and exact match, with and without rules, mean and standard error, for
decisions for exact match, Hamming loss and F1.
The hierarchies: settings and the weights of the members are chosen by the area under the average
precision-recall curve on the validation file (a fifth of the training rows where there is none),
refitted on both; means of five seeds on the test file. Files are looked for in LABELFIELD_DATA.
Set OMP_NUM_THREADS=1 for one thread.
"""

import gzip
import os
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelfield import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    JointStacking,
    LabelPowerset,
    LabelRules,
    ProbabilisticClassifierChain,
    tree_joint,
)
from labelfield.decode import resolve
from labelfield.metrics import (
    average_prc_area,
    average_precision,
    rule_violations,
    subset_accuracy,
)

CODE_BOOK = """
HS_Individual implies HS
HS_Group implies HS
HS_Weak implies HS_Individual
HS_Moderate implies HS_Group
HS_Strong implies HS
HS_Religion implies HS
HS_Race implies HS
HS_Physical implies HS
HS_Gender implies HS
HS_Other implies HS
exactly one of HS_Individual, HS_Group given HS
exactly one of HS_Weak, HS_Moderate, HS_Strong given HS
HS needs one of HS_Religion, HS_Race, HS_Physical, HS_Gender, HS_Other
HS_Other forbids HS_Religion, HS_Race, HS_Physical, HS_Gender
"""
AIMS = {
    "cellcycle_FUN": 0.255,
    "eisen_FUN": 0.306,
    "gasch1_FUN": 0.286,
    "seq_FUN": 0.292,
    "imclef07a": 0.956,
    "imclef07d": 0.927,
    "diatoms": 0.758,
}
N_TREES, N_LANDMARKS, SEEDS = 100, 1500, range(5)
DECODERS = ("subset", "hamming", "f1")
QUARTERS = np.arange(0.0, 1.01, 0.25)
SHARES = [(a, b, 1.0 - a - b) for a in QUARTERS for b in QUARTERS if a + b <= 1.0]


def models_of_text(seed):
    mixture = {"n_components": 15, "alpha": 0.3, "random_state": seed}
    parts = [
        ("relevance", BinaryRelevance(alpha=0.3)),
        ("chain", ProbabilisticClassifierChain(alpha=0.3)),
        ("powerset", LabelPowerset(alpha=0.3)),
    ]
    return {
        "binary relevance": BinaryRelevance(alpha=0.3, decoder="subset"),
        "chain": ProbabilisticClassifierChain(alpha=0.3),
        "mixture": ConditionalBernoulliMixture(**mixture),
        "stack": JointStacking(parts, cv=3, random_state=seed),
    }


def hate():
    """Print exact match and violations of four models with and without the code book."""
    data = pd.read_csv(_folder() / "id_hate_speech" / "re_dataset.csv.gz", encoding="latin-1")
    names = list(data.columns[1:])
    Y, rules = data[names].to_numpy(), LabelRules.from_text(names, CODE_BOOK)
    print(f"id_hate_speech: {len(rules.check(Y))} of {len(Y)} rows break one of {len(rules)} rules")
    found, agreed = {}, {}
    for seed in SEEDS:
        train, test = train_test_split(np.arange(len(Y)), test_size=0.2, random_state=seed)
        words = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
        X, X_new = words.fit_transform(data.Tweet[train]), words.transform(data.Tweet[test])
        for name, model in models_of_text(seed).items():
            free = model.fit(X, Y[train]).predict_joint(X_new)
            bound = free.given_rules(rules)
            for decoder in DECODERS:
                plain, ruled = (resolve(decoder).decode(joint) for joint in (free, bound))
                row = [rule_violations(sets, rules) for sets in (plain, ruled)]
                row += [subset_accuracy(Y[test], sets) for sets in (plain, ruled)]
                found.setdefault((name, decoder), []).append(row)
            agreed.setdefault(name, []).append(np.exp(free.log_rules(rules)).mean())
    for (name, decoder), rows in found.items():
        mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
        gain = np.diff(np.array(rows)[:, 2:], axis=1)[:, 0]
        print(
            f"{name}, {decoder}: rows that break a rule {mean[0]:.4f} -> {mean[1]:.4f}; exact "
            f"match {mean[2]:.4f} ({error[2]:.4f}) -> {mean[3]:.4f} ({error[3]:.4f}), "
            f"gain {gain.mean():+.4f} ({gain.std(ddof=1) / np.sqrt(len(gain)):.4f}); "
            f"mean p(rules) {np.mean(agreed[name]):.3f}",
            flush=True,
        )


def _folder():
    return Path(os.environ["LABELFIELD_DATA"])


def read_hierarchy(path):
    """Return features (NaN where missing, nominal ones as numbers), labels and class names."""
    kinds, classes, X, sets = [], [], [], []
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            words = line.split("%")[0].strip()
            if words.lower().startswith("@attribute"):
                kind = words.split(None, 2)[2]
                if kind.lower().startswith("hierarchical"):
                    classes = _paths(kind.split(None, 1)[1].split(","))
                else:
                    kinds.append(kind)
            elif words and not words.startswith("@"):
                *cells, named = words.split(",")
                X.append(cells)
                sets.append(named.split("@"))
    number = {name: k for k, name in enumerate(classes)}
    Y = np.zeros((len(sets), len(classes)), dtype=np.uint8)
    for row, named in enumerate(sets):
        Y[row, [number[name.strip()] for name in named]] = 1
    columns = [_column(kind, cells) for kind, cells in zip(kinds, zip(*X))]
    return np.column_stack(columns), Y, classes


def _paths(listed):
    """Return all paths and what they begin with, in order of appearance."""
    found = {}
    for path in listed:
        steps = path.strip().split("/")
        found.update(dict.fromkeys("/".join(steps[: k + 1]) for k in range(len(steps))))
    return list(found)


def _column(kind, cells):
    if not kind.startswith("{"):
        return np.array([np.nan if cell == "?" else float(cell) for cell in cells])
    values = [value.strip() for value in kind.strip("{} ").split(",")]
    return np.array([[cell.strip() == value for value in values] for cell in cells], dtype=float)


def parts_of(name):
    """Return (X, Y) to learn from, to choose on and to test on, and the rules of the hierarchy."""
    files = sorted((_folder() / name).glob("*.arff.gz"))
    found = {
        part: read_hierarchy(path)
        for path in files
        for part in ("train", "valid", "test")
        if part in path.name.lower()
    }
    rules = LabelRules.from_paths(found["train"][2])
    read = {part: (X, rules.closure(Y)) for part, (X, Y, _) in found.items()}
    if "valid" not in read:
        X, Y = read["train"]
        rows = np.random.default_rng(0).permutation(len(X))
        chosen, held = np.sort(rows[len(X) // 5 :]), np.sort(rows[: len(X) // 5])
        read |= {"train": (X[chosen], Y[chosen]), "valid": (X[held], Y[held])}
    return read["train"], read["valid"], read["test"], rules


class Members:
    """Marginals of a forest, of binary relevance and of a power set on kernel features."""

    def __init__(self, X, Y, seed):
        self.Y, self.seed = Y, seed
        self.clean = make_pipeline(SimpleImputer(), StandardScaler()).fit(X)
        self.X = self.clean.transform(X)
        few = self.X[:500]
        self.width = np.median(cdist(few, few, "sqeuclidean"))

    def kernel(self, gamma, X):
        n_landmarks = min(N_LANDMARKS, len(self.X))
        features = Nystroem(
            gamma=gamma / self.width, n_components=n_landmarks, random_state=self.seed
        )
        features.fit(self.X)
        return features.transform(self.X), features.transform(self.clean.transform(X))

    def forest(self, X, leaf, features):
        trees = ExtraTreesClassifier(
            N_TREES, min_samples_leaf=leaf, max_features=features, random_state=self.seed
        )
        trees.fit(self.X, self.Y)
        answers = zip(trees.predict_proba(self.clean.transform(X)), trees.classes_)
        return np.column_stack([p @ (classes == 1) for p, classes in answers])

    def relevance(self, X, gamma, alpha):
        old, new = self.kernel(gamma, X)
        return BinaryRelevance(alpha=alpha, tol=1e-4).fit(old, self.Y).predict_proba(new)

    def powerset(self, X, gamma, alpha):
        old, new = self.kernel(gamma, X)
        model = LabelPowerset(alpha=alpha, tol=1e-4, max_iter=300).fit(old, self.Y)
        return model.predict_proba(new)


GRIDS = {
    "forest": [(1, 0.3), (3, 0.3), (5, 0.3)],
    "relevance": [(g, a) for g in (0.5, 1.0, 2.0) for a in (0.03, 0.1, 0.3, 1.0)],
    "powerset": [(g, a) for g in (0.5, 1.0, 2.0) for a in (0.01, 0.03, 0.1)],
}


def hierarchy(name):
    """Print the areas of the pooled members on the test file of one hierarchy."""
    started = time.process_time()
    (X, Y), (X_valid, Y_valid), (X_test, Y_test), rules = parts_of(name)
    kinds = ["forest", "relevance"]
    if len(np.unique(Y, axis=0)) < 500:
        kinds.append("powerset")
    members, settings, valid = Members(X, Y, 0), {}, {}
    for kind in kinds:
        best = -1.0
        for setting in GRIDS[kind]:
            P = getattr(members, kind)(X_valid, *setting)
            area = average_prc_area(Y_valid, P)
            if area > best:
                best, settings[kind], valid[kind] = area, setting, P
        print(f"    {name} {kind} {settings[kind]}: {best:.4f} on the validation rows", flush=True)
    shares = [dict(zip(kinds, s)) for s in SHARES if len(kinds) == 3 or s[2] == 0.0]
    areas = [average_prc_area(Y_valid, _pool(valid, s)) for s in shares]
    chosen = shares[int(np.argmax(areas))]
    rows, both = [], (np.concatenate([X, X_valid]), np.concatenate([Y, Y_valid]))
    for seed in SEEDS:
        members = Members(*both, seed)
        used = [kind for kind in kinds if chosen[kind] > 0.0]
        said = {kind: getattr(members, kind)(X_test, *settings[kind]) for kind in used}
        P = tree_joint(np.clip(_pool(said, chosen), 0.0, 1.0), rules).marginals()
        parents = [(rule.given, rule.labels[0]) for rule in rules]
        incoherent = sum(int((P[:, c] > P[:, p]).sum()) for c, p in parents)
        seen = Y_test.any(axis=0)
        macro = average_precision(Y_test[:, seen], P[:, seen], average="macro")
        rows.append([average_prc_area(Y_test, P), macro, incoherent])
    micro, macro, incoherent = np.mean(rows, axis=0)
    spread = np.std([row[0] for row in rows], ddof=1)
    verdict = "met" if micro >= AIMS[name] else "MISSED"
    print(
        f"{name}: area {micro:.4f} (deviation {spread:.4f}), aim {AIMS[name]:.3f} {verdict}; macro "
        f"{macro:.4f}; {incoherent:.0f} incoherent marginals; weights {chosen}; "
        f"{time.process_time() - started:.0f} CPU s",
        flush=True,
    )


def _pool(said, shares):
    return sum(shares[kind] * P for kind, P in said.items())


def main():
    chosen = sys.argv[1:] or ["hate", *AIMS]
    for name in chosen:
        if name == "hate":
            hate()
        else:
            hierarchy(name)


if __name__ == "__main__":
    main()
