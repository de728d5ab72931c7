"""Peak memory of fits and predictions in processes of their own, with CPU seconds."""

import subprocess
import sys

from benchmarks.timing import show

MANY_ROWS = """
import resource, time
import numpy as np, scipy.sparse as sp
import labelfield
rng = np.random.default_rng(0)
n, L, d = 100_000, 1000, 10
X = rng.normal(size=(n, d))
weights = rng.normal(size=(d, L)) / 2.0
Y = sp.vstack([
    sp.csr_matrix((X[first : first + 5000] @ weights + rng.logistic(size=(5000, L)) > 6.0))
    for first in range(0, n, 5000)
], format="csr").astype(np.uint8)
if {dense}:
    Y = Y.toarray()
start = time.process_time()
model = labelfield.{model}.fit(X, Y)
fitted = time.process_time()
{then}
ended = time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(fitted - start, ended - fitted, peak / 2**20)
"""
LIMIT = 2.0  # GiB


def measure(what, source):
    """Run a program in a fresh process; print its CPU seconds and its peak beside the limit."""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    if done.returncode:
        print(f"{what}: FAILED: {done.stderr.strip().splitlines()[-1][:200]}", flush=True)
        return
    fit, answer, peak = map(float, done.stdout.split()[-3:])
    show(f"{what}: fit {fit:.1f}, answers {answer:.1f} CPU s, peak", peak, LIMIT, unit="GiB")


def main():
    size = "1e5 rows, 1000 labels, 10 features"
    predict, marginals = "model.predict(X)", "model.predict_proba(X)"
    f1 = "model.predict(X, decoder='f1')"
    for name, model, dense, then in (
        ("BR, sparse Y, predict", "BinaryRelevance(alpha=1.0)", False, predict),
        ("BR, sparse Y, alpha='auto'", "BinaryRelevance()", False, predict),
        ("BR, dense Y, predict_proba", "BinaryRelevance(alpha=1.0)", True, marginals),
        ("BR, sparse Y, decoder='f1'", "BinaryRelevance(alpha=1.0)", False, f1),
    ):
        source = MANY_ROWS.format(model=model, dense=dense, then=then)
        measure(f"{size}: {name}", source)
