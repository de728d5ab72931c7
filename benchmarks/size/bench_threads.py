"""Two threads over blocks of rows against one: wall-clock seconds, on an idle machine.

Products stay at one thread of BLAS in both runs, so that the ratio is that of the blocks.
"""

import os
import time
from functools import partial
from statistics import median

import numpy as np
import scipy.sparse as sp

from benchmarks.timing import show
from labelfield.learners import LogisticLearner

N_JOBS, REPEATS, TARGET = 2, 3, 1.7


def wall_seconds(call):
    call()
    spent = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        spent.append(time.perf_counter() - start)
    return median(spent)


def draw(n, d, n_labels, share):
    rng = np.random.default_rng(0)
    X = sp.random(n, d, density=share, format="csr", random_state=0) if share < 1 else None
    X = rng.normal(size=(n, d)) if X is None else X
    scores = X @ rng.normal(size=(d, n_labels))
    return X, (scores > np.quantile(scores, 0.9, axis=0)).astype(np.uint8)


def main():
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: the ratio needs an idle machine")
    for what, size in {
        "sparse fit, 40 000 x 2000, 100 labels": (40_000, 2000, 100, 0.02),
        "dense fit, 40 000 x 300, 40 labels": (40_000, 300, 40, 1.0),
    }.items():
        X, Y = draw(*size)
        learners = [LogisticLearner(max_iter=15, warn=False, n_jobs=n) for n in (1, N_JOBS)]
        spent = [wall_seconds(partial(learner.fit, X, Y)) for learner in learners]
        print(f"{what}: {spent[0]:.2f} s on one thread, {spent[1]:.2f} s on {N_JOBS}")
        show(f"{what}: gain", spent[0] / spent[1], TARGET, at_most=False, unit="x")
