"""Speed of learning from incomplete labels, on one thread."""

import numpy as np

from benchmarks.timing import cpu_seconds, show
from labelfield import DependentRelevance, FastTag, LabelCorrelationImputer, recover
from labelfield.datasets import hide_labels, load_dataset


def main():
    data = load_dataset("delicious")
    marks = hide_labels(data.Y, 0.3, random_state=0)
    spent = cpu_seconds(lambda: FastTag(alpha=0.01).fit(data.X, marks), repeats=1, warm_up=0)
    show(f"delicious, {len(marks)} rows: FastTag fit", spent, 30.0)
    data = load_dataset("corel5k")
    marks = hide_labels(np.asarray(data.Y), 0.3, random_state=0)[:3000]
    X = data.X[:3000]
    spent = cpu_seconds(lambda: LabelCorrelationImputer().fit(X, marks), repeats=1, warm_up=0)
    show("corel5k, 3000 rows: LCML fit", spent)

    def clean():
        return recover(X, marks, DependentRelevance(alpha=1.0), positives_only=True, cv=3)

    show("corel5k, 3000 rows: recover with DBR, 3 parts", cpu_seconds(clean, repeats=1, warm_up=0))


if __name__ == "__main__":
    main()
