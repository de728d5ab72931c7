"""Mixtures: seconds of training, rows answered a second, cost against active label learners."""

import time

import numpy as np

from benchmarks.timing import cpu_seconds, show
from labelfield import ConditionalBernoulliMixture
from labelfield.datasets import load_dataset
from labelfield.models.mixture.starts import mixture_start


def scene():
    train, test = (load_dataset("scene", split=s) for s in ("train", "test"))
    model = ConditionalBernoulliMixture(early_stopping=False, max_iter=10, random_state=0)
    spent = cpu_seconds(lambda: model.fit(train.X, train.Y), repeats=3)
    show("scene: CBM sparse, K=20, 10 rounds", spent, 2.5)
    many = np.tile(test.X, (5, 1))
    predict = cpu_seconds(lambda: model.predict(many), repeats=3)
    rate = len(many) / predict
    show("scene: sets predicted", rate, 20_000, at_most=False, unit="rows/s")
    gate = cpu_seconds(lambda: model.gate_.log_weights(many), repeats=3)
    show("scene: the gate's share of it", 100 * gate / predict, unit="%")


def bibtex():
    data = load_dataset("bibtex", split="train")
    start = cpu_seconds(
        lambda: mixture_start(data.Y, 20, np.random.default_rng(0)), repeats=1, warm_up=0
    )
    show("bibtex: ten Bernoulli mixtures, K=20, for the start", start)
    marks = [time.process_time()]
    model = ConditionalBernoulliMixture(early_stopping=False, max_iter=2, random_state=0)
    for _ in model._run(data.X, data.Y, 2, np.random.default_rng(0)):
        marks.append(time.process_time())
    first, second = np.diff(marks)
    show("bibtex: CBM sparse, K=20, first round", first - start, 5.0)
    show("bibtex: CBM sparse, K=20, second round", second, 5.0)


def growth():
    """Show that a round costs no more per active label learner when there are more components."""
    train = load_dataset("scene", split="train")
    per_learner = {}
    for n_components in (5, 10, 20, 40, 80):
        model = ConditionalBernoulliMixture(
            n_components=n_components, early_stopping=False, max_iter=3, random_state=0
        )
        spent = cpu_seconds(lambda model=model: model.fit(train.X, train.Y), repeats=1, warm_up=0)
        learners = n_components + model.n_active_
        per_learner[n_components] = spent / learners
        show(f"scene: CBM 3 rounds, K={n_components}, {learners} learners", spent)
    ratio = per_learner[80] / per_learner[5]
    show("scene: seconds a learner, K=80 / K=5", ratio, 1.2, unit="x")


def main():
    scene()
    bibtex()
    growth()
