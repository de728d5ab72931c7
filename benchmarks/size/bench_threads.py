"""Two threads over blocks of rows against one, in fits and in decisions: wall-clock seconds.

Products stay at one thread of BLAS in both runs, so that the ratio is that of the blocks. Runs with
one and two threads take turns, and the best of each counts. On a busy machine threads share what
one would get, so the load is printed, what threads gain on arithmetic alone, and the gain that the
CPU seconds would allow on two idle cores: those of one thread over those outside of the blocks and
half of the rest.
"""

import os
import time
from copy import deepcopy
from functools import partial
from statistics import median

import numpy as np
import scipy.sparse as sp

from benchmarks.timing import show
from labelfield import BinaryRelevance, ConditionalBernoulliMixture, ProbabilisticClassifierChain
from labelfield.learners import LogisticLearner
from labelfield.optim.executors import in_order

N_JOBS, REPEATS, TARGET = 2, 3, 1.7


def show_gain(what, one, several):
    """Show how much faster several threads are than one, and what their CPU seconds allow."""
    wall, work, alone = {one: [], several: []}, {one: [], several: []}, []
    for _ in range(REPEATS + 1):  # the first turn warms up
        for call in (one, several):
            start = time.perf_counter(), time.process_time(), time.thread_time()
            call()
            wall[call].append(time.perf_counter() - start[0])
            work[call].append(time.process_time() - start[1])
        alone.append(time.thread_time() - start[2])
    best = [min(wall[call][1:]) for call in (one, several)]
    single, shared, serial = (median(spent[1:]) for spent in (work[one], work[several], alone))
    allowed = single / (serial + (shared - serial) / N_JOBS)
    print(
        f"{what}: {best[0]:.3f} s on one thread, {best[1]:.3f} s on {N_JOBS}; CPU seconds "
        f"{single:.3f}, and {shared:.3f}, of which {serial:.3f} outside of the blocks; "
        f"load {os.getloadavg()[0]:.1f}"
    )
    show(f"{what}: gain", best[0] / best[1], TARGET, at_most=False, unit="x")
    show(f"{what}: gain that CPU seconds allow", allowed, TARGET, at_most=False, unit="x")


def show_machine():
    """Show what two threads gain where nothing is shared: square products, one thread each."""
    A = np.random.default_rng(0).normal(size=(600, 600))

    def products(n_threads):
        return list(in_order(lambda _: A @ A, range(40), n_threads))

    show_gain("arithmetic alone", partial(products, 1), partial(products, N_JOBS))


def draw(n, d, n_labels, share):
    rng = np.random.default_rng(0)
    X = sp.random(n, d, density=share, format="csr", random_state=0) if share < 1 else None
    X = rng.normal(size=(n, d)) if X is None else X
    scores = X @ rng.normal(size=(d, n_labels))
    return X, (scores > np.quantile(scores, 0.9, axis=0)).astype(np.uint8)


def show_fits():
    for what, size in {
        "sparse fit, 40 000 x 2000, 100 labels": (40_000, 2000, 100, 0.02),
        "dense fit, 40 000 x 300, 40 labels": (40_000, 300, 40, 1.0),
    }.items():
        X, Y = draw(*size)
        learners = [LogisticLearner(max_iter=15, warn=False, n_jobs=n) for n in (1, N_JOBS)]
        show_gain(what, *(partial(learner.fit, X, Y) for learner in learners))


def show_decisions():
    X, Y = draw(20_000, 30, 60, 1.0)
    for name, model, decoders in (
        ("binary relevance", BinaryRelevance(alpha=1.0), ("f1",)),
        ("probabilistic chain", ProbabilisticClassifierChain(alpha=1.0), ("subset",)),
        ("mixture", ConditionalBernoulliMixture(n_components=5, max_iter=2), ("subset", "f1")),
    ):
        model.fit(X[:2000], Y[:2000])
        models = [deepcopy(model).set_params(n_jobs=n) for n in (1, N_JOBS)]
        for decoder in decoders:
            calls = [partial(each.predict, X, decoder=decoder) for each in models]
            if not np.array_equal(calls[0](), calls[1]()):
                raise AssertionError(f"{name}, {decoder}: threads changed the answer")
            show_gain(f"{name}, {decoder}, 20 000 rows, 60 labels", *calls)


def main():
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: the ratio needs an idle machine")
    show_machine()
    show_fits()
    show_decisions()
