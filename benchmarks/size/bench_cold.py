"""The first fit of a fresh process: CPU seconds with an empty cache of compiled loops, and with it.

Everything counts, imports too: it is what a user waits for. scikit-learn's time is that of its
logistic regression per label on the same rows. Sizes: few rows, and those of scene, on which the
rounds of EM are cut to one: they are no part of a start.
"""

import os
import subprocess
import sys
import tempfile

from benchmarks.timing import show

MODELS = (
    "BinaryRelevance",
    "ClassifierChain",
    "LabelPowerset",
    "ConditionalBernoulliMixture",
    "CorrelatedLogistic",
    "PairwiseCRF",
)
SIZES = {"200 x 10, 5 labels": (200, 10, 5), "1211 x 294, 6 labels": (1211, 294, 6)}
DRAW = """
import time
import numpy as np
rng = np.random.default_rng(0)
n, d, n_labels = {shape}
X = rng.normal(size=(n, d))
Y = (X[:, :n_labels] + rng.normal(size=(n, n_labels)) > 1).astype(np.uint8)
"""
OURS = """
import labelfield
labelfield.{model}.fit(X, Y)
print(time.process_time())
"""
THEIRS = """
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
MultiOutputClassifier(LogisticRegression()).fit(X, Y)
print(time.process_time())
"""


def spent(script, cache):
    """Return the CPU seconds that a fresh process takes for a script."""
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
    )
    if answer.returncode:
        sys.exit(f"the first fit failed:\n{answer.stderr}")
    return float(answer.stdout.split()[-1])


def main():
    for size, shape in SIZES.items():
        with tempfile.TemporaryDirectory() as cache:
            theirs = min(spent(DRAW.format(shape=shape) + THEIRS, cache) for _ in range(3))
        show(f"{size}: scikit-learn", theirs)
        for name in MODELS:
            short = "Mixture" in name and shape[0] > 1000
            model = f"{name}({'max_iter=1' if short else ''})"
            script = DRAW.format(shape=shape) + OURS.format(model=model)
            with tempfile.TemporaryDirectory() as cache:
                show(f"{size}: {model}, empty cache", spent(script, cache), 3.0)
                more = min(spent(script, cache) for _ in range(2)) - theirs
            show(f"{size}: {model}, with cache, more than scikit-learn", more, 1.0)
