"""Speed of the random mixed field, and against missForest, in one run on one thread."""

import time

import numpy as np

from benchmarks.timing import show
from lab.restorers import ForestImputer
from labelfield.restore import (
    RandomMixedField,
    cell_scores,
    corrupt_table,
    load_mixed_table,
)


def spent(call):
    """CPU seconds of one call and what it returned."""
    start = time.process_time()
    answer = call()
    return time.process_time() - start, answer


def load(name):
    train = load_mixed_table(name, split="train")
    return train.filled_from(train), load_mixed_table(name, split="test").filled_from(train)


def warm_up():
    """Compile the kernels outside the measurements."""
    train, test = load("crx")
    RandomMixedField(alpha=0.08).fit(train).transform(corrupt_table(test, missing=0.5))


def against_forest(name):
    """Fit and restore at tau = 0 and rho = 0.3: ratio of CPU seconds, mean errors of ten tables."""
    train, test = load(name)
    damaged = [corrupt_table(test, missing=0.3, random_state=seed) for seed in range(10)]
    scale = train.continuous.std(axis=0)
    seconds, errors = {}, {}
    for title, restorer in (
        ("field", RandomMixedField(random_state=0)),
        ("forest", ForestImputer(random_state=0)),
    ):
        seconds[title], _ = spent(lambda r=restorer: r.fit(train).transform(damaged[0]))
        errors[title] = [
            cell_scores(test, dirty, restorer.transform(dirty), scale=scale) for dirty in damaged
        ]
    ratio = seconds["forest"] / seconds["field"]
    show(f"{name}: missForest / field, fit and restore", ratio, 10, at_most=False, unit="x")
    for what in ("rmse_missing", "state_error_missing"):
        field, forest = (np.mean([e[what] for e in errors[t]]) for t in ("field", "forest"))
        show(f"{name}: {what}, field - missForest", field - forest, 0.0, unit=" ")


def main():
    warm_up()
    train, _ = load("german")
    show(
        "german: fit, alpha chosen",
        spent(lambda: RandomMixedField(random_state=0).fit(train))[0],
        5,
    )
    for name in ("crx", "australian", "german"):
        against_forest(name)
    train, test = load("adult")
    seconds, model = spent(lambda: RandomMixedField(random_state=0).fit(train))
    show(f"adult: fit of {len(train.target)} rows, alpha chosen", seconds, 60)
    for tau in (0.0, 0.2):
        dirty = corrupt_table(test, noise=tau, missing=0.5, random_state=0)
        model.set_params(noise_scale=tau, flip_rate=tau)
        title = f"adult: restore {len(test.target)} rows, half of the cells missing, tau {tau}"
        show(title, spent(lambda d=dirty: model.transform(d))[0], 30)
