"""The usual baselines on scene and emotions beside the figures of the peers.

    python -m lab.studies.baselines

Five folds of KFold(5, shuffle=True, random_state=0), features standardised on the training fold,
Hamming / 0-1 loss / Jaccard / F1 / macro-F1 / micro-F1, empty against empty counts 1.
"""

import sys

import numpy as np
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelfield import (
    BinaryRelevance,
    ClassifierChain,
    ClassifierChainEnsemble,
    DependentRelevance,
    InstanceBasedLogistic,
    LabelPowerset,
    MLkNN,
    ProbabilisticClassifierChain,
    RandomLabelsets,
    StackedRelevance,
)
from labelfield.datasets import load_dataset
from labelfield.metrics import f1_score, hamming_loss, jaccard_score, subset_accuracy

PUBLISHED = {  # peers on the same folds; * on other folds
    "BR C=1": "scikit-learn .117 .507 .582 .612 .671 .664",
    "LP C=0.1": "scikit-multilearn-ng .093 .310 .728 .741 .746 .736",
    "ML-kNN self": "scikit-multilearn-ng .086 .361 .686 .702 .748 .744",
    "IBLR": "MULAN* .085 .360 .674 .686 .742 .736",
    "CC C=0.1": "scikit-learn .101 .408 .649 .668 .713 .705",
    "ECC C=0.1": "10 chains .100 .423 .637 .658 .712 .704",
    "RAkEL": "scikit-multilearn-ng .097 .403 .658 .678 .723 .715",
}
MODELS = {
    "BR C=1": BinaryRelevance(alpha=1.0, decoder="hamming"),
    "2BR C=0.1": StackedRelevance(alpha=10.0, decoder="hamming"),
    "DBR C=0.1": DependentRelevance(alpha=10.0, decoder="hamming"),
    "LP C=0.1": LabelPowerset(alpha=10.0),
    "RAkEL": RandomLabelsets(alpha=10.0, decoder="hamming", random_state=0),
    "CC C=0.1": ClassifierChain(alpha=10.0),
    "PCC C=0.1": ProbabilisticClassifierChain(alpha=10.0),
    "ECC C=0.1": ClassifierChainEnsemble(alpha=10.0, decoder="hamming", random_state=0),
    "ML-kNN": MLkNN(decoder="hamming"),
    "ML-kNN self": MLkNN(count_self=True, decoder="hamming"),
    "IBLR": InstanceBasedLogistic(alpha=1e-4, decoder="hamming"),
}


def figures(Y, Z):
    return (
        hamming_loss(Y, Z),
        1.0 - subset_accuracy(Y, Z),
        jaccard_score(Y, Z, average="samples"),
        f1_score(Y, Z, average="samples"),
        f1_score(Y, Z, average="macro"),
        f1_score(Y, Z, average="micro"),
    )


def main(names):
    for name in names or ["scene", "emotions"]:
        data = load_dataset(name)
        X, Y = np.asarray(data.X), data.Y
        print(f"\n{name}: Hamming, 0-1, Jaccard, F1, macro-F1, micro-F1")
        for title, model in MODELS.items():
            rows = []
            for train, test in KFold(5, shuffle=True, random_state=0).split(X):
                fitted = make_pipeline(StandardScaler(), model).fit(X[train], Y[train])
                rows.append(figures(Y[test], fitted.predict(X[test])))
            ours = " ".join(f"{v:.3f}".lstrip("0") for v in np.mean(rows, axis=0))
            beside = PUBLISHED.get(title, "") if name == "scene" else ""
            print(f"{title:12s} {ours}   {beside}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
