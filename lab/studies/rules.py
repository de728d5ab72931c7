"""Label rules at work: a code book with three kinds of rules, and seven published hierarchies.

    python -m lab.studies.rules [hate] [NAME_OF_A_HIERARCHY ...]

`hate`: Indonesian tweets as raw text (term weights of words and pairs; `LabelSetClassifier` takes
the text itself), random 80/20 splits, five seeds; the share of rows that break a rule and exact
match, with and without rules, mean and standard error, for decisions for exact match, Hamming loss
and F1. Lines of single seeds hold violations without and with rules, exact match without and with
rules, and the mean of p(rules). The hierarchies: see `lab.studies.hierarchies`. Files are looked
for in LABELFIELD_DATA. Set OMP_NUM_THREADS=1 for one thread.
"""

import sys
import time

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split

from lab.studies.hierarchies import AIMS, data_folder, hierarchy
from labelfield import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    JointStacking,
    LabelPowerset,
    LabelRules,
    LabelSetClassifier,
    ProbabilisticClassifierChain,
)
from labelfield.decode import resolve
from labelfield.metrics import rule_violations, subset_accuracy

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
SEEDS = range(5)
DECODERS = ("subset", "hamming", "f1")


def models_of_text(seed):
    """Return the models by name: a linear one on term weights, and ours on raw text."""
    mixture = {"n_components": 15, "alpha": 0.3, "random_state": seed}
    parts = [
        ("relevance", BinaryRelevance(alpha=0.3)),
        ("chain", ProbabilisticClassifierChain(alpha=0.3)),
        ("powerset", LabelPowerset(alpha=0.3)),
    ]
    return {
        "binary relevance": BinaryRelevance(alpha=0.3),
        "chain": ProbabilisticClassifierChain(alpha=0.3),
        "mixture": ConditionalBernoulliMixture(**mixture),
        "JointStacking": JointStacking(parts, cv=3, random_state=seed),
        "LabelSetClassifier": LabelSetClassifier(budget="quick", random_state=seed),
    }


def hate():
    """Print exact match and violations of five models with and without the code book."""
    path = data_folder() / "id_hate_speech" / "re_dataset.csv.gz"
    data = pd.read_csv(path, encoding="latin-1")
    texts, names = data.Tweet.tolist(), list(data.columns[1:])
    Y, rules = data[names].to_numpy(), LabelRules.from_text(names, CODE_BOOK)
    print(f"id_hate_speech: {len(rules.check(Y))} of {len(Y)} rows break one of {len(rules)} rules")
    found = {}
    for seed in SEEDS:
        train, test = train_test_split(np.arange(len(Y)), test_size=0.2, random_state=seed)
        old, new = [texts[row] for row in train], [texts[row] for row in test]
        words = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
        weights, new_weights = words.fit_transform(old), words.transform(new)
        for name, model in models_of_text(seed).items():
            started = time.process_time()
            raw = isinstance(model, LabelSetClassifier)
            free = model.fit(old if raw else weights, Y[train])
            free = free.predict_joint(new if raw else new_weights)
            seconds = time.process_time() - started
            for decoder, row in with_and_without(free, rules, Y[test]).items():
                found.setdefault((name, decoder), []).append([*row, seconds])
                shown = " ".join(f"{number:.4f}" for number in row)
                print(f"    seed {seed} {name}, {decoder}: {shown}", flush=True)
    for (name, decoder), rows in found.items():
        print(f"{name}, {decoder}: {summary_of(np.array(rows))}", flush=True)


def with_and_without(free, rules, Y):
    """Return [violations, with rules, exact match, with rules, mean p(rules)] by decoder."""
    bound, agreed = free.given_rules(rules), np.exp(free.log_rules(rules)).mean()
    answer = {}
    for decoder in DECODERS:
        sets = [resolve(decoder).decode(joint) for joint in (free, bound)]
        answer[decoder] = [rule_violations(s, rules) for s in sets]
        answer[decoder] += [*(subset_accuracy(Y, s) for s in sets), agreed]
    return answer


def summary_of(rows):
    """Return the line of one model and decoder: means over seeds, standard errors in brackets."""
    gain = rows[:, 3] - rows[:, 2]
    rows = np.column_stack([rows, gain])
    mean, error = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
    return (
        f"rows that break a rule {mean[0]:.4f} ({error[0]:.4f}) -> {mean[1]:.4f}; exact match "
        f"{mean[2]:.4f} ({error[2]:.4f}) -> {mean[3]:.4f} ({error[3]:.4f}), "
        f"gain {mean[6]:+.4f} ({error[6]:.4f}); mean p(rules) {mean[4]:.3f}; {mean[5]:.0f} CPU s"
    )


def main():
    for name in sys.argv[1:] or ["hate", *AIMS]:
        if name == "hate":
            hate()
        else:
            hierarchy(name)


if __name__ == "__main__":
    main()
