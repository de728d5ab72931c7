"""Mixtures: seconds of training, rows answered a second, cost against active label learners."""

import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from resource import RUSAGE_SELF, getrusage

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from benchmarks.pictures import draw_growth
from benchmarks.timing import cpu_seconds, show
from labelfield import ConditionalBernoulliMixture
from labelfield.datasets import load_dataset
from labelfield.models.mixture.em import run_em
from labelfield.models.mixture.starts import mixture_start


def scene():
    train, test = (load_dataset("scene", split=s) for s in ("train", "test"))
    model = ConditionalBernoulliMixture(
        alpha=1.0, early_stopping=False, max_iter=10, random_state=0
    )
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
    model = ConditionalBernoulliMixture(alpha=1.0, early_stopping=False, max_iter=2, random_state=0)
    gamma = mixture_start(data.Y, 20, np.random.default_rng(0))
    (first, second), _ = round_seconds(model, data.X, data.Y, gamma, 2)
    show("bibtex: CBM sparse, K=20, first round", first, 5.0)
    show("bibtex: CBM sparse, K=20, second round", second, 5.0)


def rcv1():
    """Time one round of EM beside the same round as a loop of scikit-learn fits.

    Both begin with the same memberships and take 15 solver updates a problem. The loop is cold, as
    it would be in every round; ours is measured in the second round too, where it starts warm. A
    process of its own tells the memory.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        ours, learners, gibibytes = alone.submit(_rcv1_rounds, "ours", 3).result()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        loop, loop_learners, _ = alone.submit(_rcv1_rounds, "loop", 1).result()
    show(f"rcv1subset1: CBM sparse, K=45, {learners} label learners, first round", ours[0])
    show("rcv1subset1: its second and third round, mean", np.mean(ours[1:]))
    show(f"rcv1subset1: a round of {loop_learners} scikit-learn fits", loop[0])
    show(
        "rcv1subset1: scikit-learn / ours, first round",
        loop[0] / ours[0],
        5,
        at_most=False,
        unit="x",
    )
    show("rcv1subset1: scikit-learn / ours, later rounds", loop[0] / np.mean(ours[1:]), unit="x")
    show("rcv1subset1: most memory of training", gibibytes, 2.0, unit="GiB")


def _rcv1_rounds(kind, n_rounds):
    """Return CPU seconds of each round, the label learners and the most memory in GiB."""
    data = load_dataset("rcv1subset1")
    gamma = mixture_start(data.Y, 45, np.random.default_rng(0))
    model = ConditionalBernoulliMixture(alpha=1.0, n_components=45)
    if kind == "loop":
        fit = LogisticRegression(max_iter=15)
        model.set_params(estimator=fit, gate=fit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 15 updates are few, on purpose
        spent, n_active = round_seconds(model, data.X, data.Y, gamma, n_rounds)
    return spent, n_active, getrusage(RUSAGE_SELF).ru_maxrss / 2**20


def round_seconds(model, X, Y, gamma, n_rounds):
    """Return the CPU seconds of each round of EM, and the label learners in use after it."""
    gate, components = model._make_parts()
    marks = [time.process_time()]

    def mark():
        marks.append(time.process_time())
        return True

    run_em(gate, components, X, Y, gamma, tol=0.0, max_iter=n_rounds, goes_on=mark)
    return np.diff(marks), components.n_active()


def growth():
    """Fit how the cost of a round grows with the label learners in use, and draw it."""
    curves = {}
    for name, counts in (("scene", (5, 10, 20, 40, 80)), ("bibtex", (5, 10, 20, 40))):
        train = load_dataset(name, split="train")
        points = []
        for n_components in counts:
            gamma = mixture_start(train.Y, n_components, np.random.default_rng(0))
            model = ConditionalBernoulliMixture(alpha=1.0, n_components=n_components)
            spent, n_active = round_seconds(model, train.X, train.Y, gamma, 2)
            learners = n_components + n_active  # a gate output costs about as much as a label
            points.append((learners, spent[1]))
            show(f"{name}: a round of EM, K={n_components}, {learners} learners", spent[1])
        slope = np.polyfit(*np.log(points).T, 1)[0]
        show(f"{name}: exponent of the cost in the learners", slope, 1.0, unit="")
        curves[f"{name}, exponent {slope:.2f}"] = points
    path = draw_growth(
        curves,
        "mixture-growth",
        "learners: gate outputs and active labels of all components",
        "CPU seconds of a round of EM",
    )
    print(f"drawn in {path.relative_to(path.parents[2])}")


def main():
    scene()
    bibtex()
    growth()
    rcv1()
