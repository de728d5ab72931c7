"""Sizes beyond a laptop's memory: peak, seconds of a pass and passes, each in its own process.

A full fit of these sizes takes hours on one core: one turn of labels is fitted, and what all turns
would take is told from it.
"""

import os
import subprocess
import sys
import tempfile

from benchmarks.timing import show

DRAW = """
import resource, sys, time
import numpy as np, scipy.sparse as sp, sklearn
from labelfield import BinaryRelevance
from labelfield.learners import LogisticLearner

def draw(n, d, L, entries, labels, seed, dtype=np.float32):
    rng = np.random.default_rng(seed)
    starts = np.arange(n + 1) * entries
    X = sp.csr_matrix((rng.random(n * entries, dtype=dtype),
                       (d * rng.random(n * entries) ** 2).astype(np.int32), starts), (n, d))
    X.sum_duplicates()
    sizes = np.arange(n + 1) * labels
    Y = sp.csr_matrix((np.ones(n * labels, np.uint8),
                       (L * rng.random(n * labels) ** 3).astype(np.int32), sizes), (n, L))
    Y.sum_duplicates()
    Y.data[:] = 1
    return X, Y

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
"""
MANY_LABELS = (
    DRAW
    + """
X, Y = draw(100_000, 1000, 100_000, 50, 5, 0)
from labelfield.learners.rows import as_rows
step = as_rows(X, Y).columns_at_once()
start = time.process_time()
learner = LogisticLearner(tol=1e-2, min_weight=0.01, warn=False, max_iter=STEPS)
learner.fit(X, Y[:, :step])
spent = time.process_time() - start
print(spent, learner.n_iter_, step, peak())
# all labels: constants only beyond the first turn, as sparse as pruned weights are
model = BinaryRelevance(alpha=1.0, min_weight=0.01)
model._enter(X, Y)
from labelfield.learners.conditional import LinearProblems
rng = np.random.default_rng(1)
share = max(learner.coef_.nnz / learner.coef_.shape[0] / step, 1e-3)
learner.coef_ = sp.random_array((1000, 100_000), density=min(share, 0.02), format="csr", rng=rng)
learner.intercept_ = np.full(100_000, -8.0)
model.problems_ = LinearProblems(learner, 1000, False, None)
start = time.process_time()
model.predict_top_labels(X[:ROWS], k=5)
print(time.process_time() - start, peak(), share)
"""
)
OUT_OF_CORE = (
    DRAW
    + """
import pathlib
from labelfield.datasets import RowBlocks
folder, n_blocks = pathlib.Path(sys.argv[1]), 39
for block in range(n_blocks):
    X, Y = draw(20_000, 47_236, 2456, 75, 3, block)
    sp.save_npz(folder / f"x{block}.npz", X, compressed=False)
    sp.save_npz(folder / f"y{block}.npz", Y, compressed=False)
passes = []
def read():
    passes.append(time.process_time())
    for block in range(n_blocks):
        Y = sp.load_npz(folder / f"y{block}.npz")[:, :LABELS]
        yield sp.load_npz(folder / f"x{block}.npz"), Y
sklearn.set_config(working_memory=2048)
model = BinaryRelevance(alpha=1.0, tol=1e-3, max_iter=STEPS)
import warnings; warnings.simplefilter("ignore")
model.fit(RowBlocks(read))
times = np.diff(passes + [time.process_time()])
from labelfield._gate.blocks import BlockSource
print(times[0], np.median(times[3:]), len(times), model.n_iter_, peak())
"""
)


def run(source, *arguments, **numbers):
    """Return the numbers that a program prints, or None where it fails."""
    for name, number in numbers.items():
        source = source.replace(name, str(number))
    done = subprocess.run(
        [sys.executable, "-c", source, *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"FAILED: {done.stderr.strip().splitlines()[-1][:300]}", flush=True)
        return None
    return list(map(float, done.stdout.split()))


def many_labels(steps=3, rows=2000):
    found = run(MANY_LABELS, STEPS=steps, ROWS=rows)
    if found is None:
        return
    spent, n_steps, step, fit_peak, top, top_peak, share = found
    what = "1e5 rows, 1e5 labels, 1000 features (50 a row)"
    passes = n_steps + 4
    print(
        f"{what}: a pass over {step:.0f} labels {spent / passes:.1f} CPU s; {1e5 / step:.0f} "
        f"turns, {passes:.0f} passes for {n_steps:.0f} steps each"
    )
    show(f"{what}: peak of fitting a turn", fit_peak, 2.0, unit="GiB")
    print(f"{what}: top 5 of {rows} rows {top:.1f} CPU s, of all {top * 1e5 / rows:.0f} s")
    show(f"{what}: peak of top-5 prediction", top_peak, 2.0, unit="GiB")


def out_of_core(labels=170, steps=2):
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        found = run(OUT_OF_CORE, folder, LABELS=labels, STEPS=steps)
    if found is None:
        return
    survey, one_pass, n_passes, n_steps, peak = found
    what = "RCV1-2K size (780k x 47k, 75 a row, 2456 labels), from disk"
    turns = 2456 / labels
    print(
        f"{what}: first pass {survey:.0f}, a pass over {labels} labels {one_pass:.0f} CPU s; "
        f"{turns:.0f} turns; with 30 steps a turn about {turns * 35 * one_pass / 3600:.1f} h"
    )
    show(
        f"{what}: peak of a turn ({n_passes:.0f} passes, {n_steps:.0f} steps)",
        peak,
        4.0,
        unit="GiB",
    )


def main():
    many_labels()
    out_of_core()
