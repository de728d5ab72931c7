"""The restoration experiments: tables 2.2 to 2.4 of the thesis and the comparisons asked of us.

    python -m benchmarks.restore_tables WHAT [--tables crx,german] [--repetitions 10]

WHAT is one of
  2.2, 2.3, 2.4   accuracies and cell errors of the thesis's tables
  compare         tau 0.4 and 0, rho 0.3: every method, and the field's lead, paired by repetition
  noise           estimated noise: RMSE against leaving the cells alone
  net             the synthetic mixed net: accuracy before and after at five noise levels

Repetitions have the seeds 0, 1, ...; every method restores the same damaged rows.
"""

import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

from labelfield.datasets import load_mixed_table, make_mixed_net  # noqa: E402
from labelfield.restore.protocol import TABLES, TAU_GRID, Condition, RestorationTask  # noqa: E402

MEASURES = ("knn", "svm", "rmse_observed", "error_observed", "rmse_missing", "error_missing")
COMPARATORS = ("knni", "remi", "missf", "mice", "mean-mode")


def figures(task, name, condition, seeds):
    """Array (repetitions, measures) of one method under one condition."""
    records = [task.repetition(name, condition, seed) for seed in seeds]
    return np.array([[record[measure] for measure in MEASURES] for record in records])


def show(label, condition, name, values):
    numbers = " ".join(f"{value:8.4f}" for value in values)
    print(f"{label:11s} {condition.tau:4.1f} {condition.rho:4.1f}  {name:15s}{numbers}", flush=True)


def heading():
    print(f"{'table':11s} {'tau':>4s} {'rho':>4s}  {'method':15s}" + " ".join(
        f"{measure.replace('observed', 'obs').replace('missing', 'mis')[:8]:>8s}"
        for measure in MEASURES
    ))  # fmt: skip


def thesis_table(label, task, number, seeds):
    for condition in TABLES[number]:
        names = ["rmf"]
        names += ["none", "rmf-mean-field"] if condition.rho == 0 else ["knni", "remi", "missf"]
        for name in names:
            show(label, condition, name, figures(task, name, condition, seeds).mean(axis=0))


def compare(label, task, seeds):
    """Means of every method; then by how much the field leads, with the standard error."""
    for condition in (Condition(0.4, 0.3), Condition(0.0, 0.3)):
        ours = figures(task, "rmf", condition, seeds)
        show(label, condition, "rmf", ours.mean(axis=0))
        estimated = figures(task, "rmf-estimate", condition, seeds)
        show(label, condition, "rmf-estimate", estimated.mean(axis=0))
        for name in COMPARATORS:
            theirs = figures(task, name, condition, seeds)
            show(label, condition, name, theirs.mean(axis=0))
            lead = (ours - theirs) * np.array([1, 1, -1, -1, -1, -1])
            show(label, condition, "  lead", lead.mean(axis=0))
            if len(seeds) > 1:
                error = lead.std(axis=0, ddof=1) / np.sqrt(len(seeds))
                show(label, condition, "  its error", error)


def noise(label, task, seeds):
    for tau in (0.05, *TAU_GRID[1:]):
        condition = Condition(tau, 0.0)
        alone = figures(task, "none", condition, seeds)
        restored = figures(task, "rmf-estimate", condition, seeds)
        show(label, condition, "none", alone.mean(axis=0))
        show(label, condition, "rmf-estimate", restored.mean(axis=0))
        ratio = restored[:, 2] / alone[:, 2]
        print(f"{'':23s}RMSE ratio: mean {ratio.mean():.4f}, worst {ratio.max():.4f}", flush=True)


def net(seeds):
    found = {}
    for seed in seeds:
        table = make_mixed_net(1500, random_state=seed)
        task = RestorationTask(table.take(slice(0, 1000)), table.take(slice(1000, 1500)))
        for tau in TAU_GRID[1:]:
            for name in ("none", "rmf", "rmf-estimate"):
                values = figures(task, name, Condition(tau, 0.0), [seed])[0]
                found.setdefault((tau, name), []).append(values)
    for (tau, name), values in found.items():
        show("mixed-net", Condition(tau, 0.0), name, np.mean(values, axis=0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=[*TABLES, "compare", "noise", "net"])
    parser.add_argument("--tables", default="crx,australian,german")
    parser.add_argument("--repetitions", type=int, default=10)
    chosen = parser.parse_args()
    seeds = range(chosen.repetitions)
    heading()
    if chosen.what == "net":
        net(seeds)
        return
    for name in chosen.tables.split(","):
        train, test = (load_mixed_table(name, split=split) for split in ("train", "test"))
        task = RestorationTask(train, test)
        if chosen.what in TABLES:
            thesis_table(name, task, chosen.what, seeds)
        else:
            {"compare": compare, "noise": noise}[chosen.what](name, task, seeds)


if __name__ == "__main__":
    main()
