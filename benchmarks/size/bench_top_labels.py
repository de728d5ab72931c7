"""Precision at 1, 3 and 5 of one regression a label on the usual splits, beside published ones.

The published figures are the best in the tables of the extreme classification repository; that its
splits have the same rows, not only as many, was not checked. Ours: alpha = 1, not tuned.
"""

import time

from benchmarks.timing import show
from labelfield import BinaryRelevance
from labelfield.datasets import load_dataset
from labelfield.metrics import label_propensities, named_precision

PUBLISHED = {
    "bibtex": {"best": (65.1, 39.6, 28.9)},
    "delicious": {"best": (69.6, 64.1, 59.3)},
}


def main(names=("bibtex", "delicious")):
    for name in names:
        try:
            train, test = (
                load_dataset(name, split=part, fetch=False) for part in ("train", "test")
            )
        except (LookupError, FileNotFoundError, ValueError) as error:
            print(f"skipped, set LABELFIELD_DATA to the folder of the data sets: {error}")
            continue
        start = time.process_time()
        model = BinaryRelevance(alpha=1.0, tol=1e-4).fit(train.X, train.Y)
        labels, _ = model.predict_top_labels(test.X, k=5)
        spent = time.process_time() - start
        print(f"{name}: {train.X.shape[0]} + {test.X.shape[0]} rows, {spent:.1f} CPU s")
        propensity = label_propensities(train.Y)
        for place, k in enumerate((1, 3, 5)):
            ours = 100.0 * named_precision(test.Y, labels[:, :k])
            rare = 100.0 * named_precision(test.Y, labels[:, :k], propensity=propensity)
            others = ", ".join(f"{who} {p[place]}" for who, p in PUBLISHED[name].items())
            show(f"{name}: P@{k} (published: {others})", ours, unit="%")
            show(f"{name}: propensity-scored P@{k}", rare, unit="%")
