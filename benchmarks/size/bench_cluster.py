"""The same fit in memory, from blocks and on two dask workers: answers, CPU seconds, a lost worker.

`python -m benchmarks.size.bench_cluster scene bibtex` takes some of the data sets, `--labels 20`
the first labels only: a tight fit of all labels of delicious takes long. `--trees` compares
forests and boosting of all rows with those by block, and nothing else.
"""

import argparse
import logging
import os
import sys
import time
from itertools import pairwise
from threading import Timer

import numpy as np
import scipy.sparse as sp

from benchmarks.timing import show
from labelfield import BinaryRelevance, BlockBagging, LabelPowerset, on_cluster
from labelfield.datasets import load_dataset, make_multilabel

NAMES = ("scene", "bibtex", "delicious")
N_BLOCKS = 8


def read_blocks(name, n_labels):
    """Return features, labels and the same in blocks, or None where the data are not there."""
    try:
        data = load_dataset(name, split="train", fetch=False)
    except (LookupError, FileNotFoundError, ValueError) as error:
        print(f"skipped, set LABELFIELD_DATA to the folder of the data sets: {error}")
        return None
    X = data.X if sp.issparse(data.X) else np.asarray(data.X)
    Y = data.Y[:, :n_labels]
    return X, Y, cut(X, Y)


def cut(X, Y):
    """Return rows in blocks of about the same size."""
    cuts = np.linspace(0, X.shape[0], N_BLOCKS + 1).astype(int)
    return [(X[first:last], Y[first:last]) for first, last in pairwise(cuts)]


class Timed:
    """CPU seconds of this process and of the workers, and seconds on the wall, of a fit."""

    def __init__(self, client=None):
        self.client = client

    def __enter__(self):
        self.start = self._now()
        return self

    def __exit__(self, *error):
        self.here, self.workers, self.wall = np.subtract(self._now(), self.start)

    def _now(self):
        workers = 0.0 if self.client is None else sum(self.client.run(time.process_time).values())
        return time.process_time(), workers, time.monotonic()


def compare(name, n_labels, client):
    """Print differences of weights, what the workers cost, and what a lost one does."""
    found = read_blocks(name, n_labels)
    if found is None:
        return
    X, Y, blocks = found
    model = BinaryRelevance(alpha=1.0, tol=1e-10, max_iter=3000)
    for data in (blocks, on_cluster(blocks, client)):  # compiles and loads, here and there
        BinaryRelevance(alpha=1.0, tol=0.1).fit(data)
    with Timed() as whole:
        wanted = model.fit(X, Y).coef_
    n_steps = model.n_iter_
    with Timed() as stream:
        read = model.fit(blocks).coef_
    sent = on_cluster(blocks, client)
    with Timed(client) as cluster:
        spread = model.fit(sent).coef_
    title = f"{name}, {Y.shape[1]} labels"
    for what, coef in (("blocks", read), ("two workers", spread)):
        away = 1e8 * np.abs(coef - wanted).max()
        show(f"{title}: weights from {what} and in memory", away, 1.0, unit="e-8")
    show(f"{title}: CPU s in memory ({n_steps} steps)", whole.here)
    show(f"{title}: CPU s from blocks", stream.here)
    show(f"{title}: CPU s of the client of two workers", cluster.here)
    show(f"{title}: CPU s of the workers", cluster.workers)
    show(f"{title}: seconds in memory", whole.wall)
    show(f"{title}: seconds with two workers", cluster.wall)
    spent = cluster.here + cluster.workers - stream.here
    show(f"{title}: more CPU s than from blocks, a step, in ms", 1e3 * spent / n_steps, unit="ms")
    lose_a_worker(title, model, wanted, blocks, client, cluster.wall)


def lose_a_worker(title, model, wanted, blocks, client, usual):
    """Kill a worker in the middle of a fit; print the difference and the seconds it costs."""
    sent = on_cluster(blocks, client)
    first = sorted(client.run(os.getpid).values())[0]
    Timer(0.5 * usual, os.kill, (first, 9)).start()
    started = time.monotonic()
    coef = model.fit(sent).coef_
    spent = time.monotonic() - started
    lost = "killed" if first not in client.run(os.getpid).values() else "NOT killed in time"
    away = 1e8 * np.abs(coef - wanted).max()
    show(f"{title}: weights with a worker {lost}", away, 1.0, unit="e-8")
    show(f"{title}: seconds more than without", spent - usual)


def read_halves():
    """Return a name, and features and labels to learn from and to predict."""
    try:
        parts = [load_dataset("scene", split=part, fetch=False) for part in ("train", "test")]
    except (LookupError, FileNotFoundError, ValueError):
        data = make_multilabel(n_samples=2400, n_features=50, n_labels=6, random_state=0)
        return "generated rows", *((data.X[i::2], data.Y[i::2]) for i in (0, 1))
    return "scene", *((np.asarray(part.X), np.asarray(part.Y)) for part in parts)


def compare_trees(client):
    """Print exact match and CPU seconds of trees on all rows, by block here and on two workers."""
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    name, (X, Y), (X_new, Y_new) = read_halves()
    order = np.random.default_rng(0).permutation(len(X))  # blocks are to be alike
    blocks = cut(X[order], Y[order])
    forest = ExtraTreesClassifier(200, random_state=0)
    bagged = RandomForestClassifier(200, random_state=0)
    boosted = LGBMClassifier(n_jobs=1, verbose=-1, random_state=0)
    for kind, member in [
        (BinaryRelevance, forest),
        (BinaryRelevance, bagged),
        (LabelPowerset, forest),
        (LabelPowerset, bagged),
        (BinaryRelevance, boosted),
    ]:
        by_block = kind(BlockBagging(member))
        by_block.fit(on_cluster(cut(X[:99], Y[:99]), client))  # loads, here and there
        answers = []
        for where, model, data in [
            ("all rows", kind(member), (X[order], Y[order])),
            (f"{N_BLOCKS} blocks", by_block, (blocks,)),
            ("two workers", by_block, (on_cluster(blocks, client),)),
        ]:
            with Timed(client) as spent:
                model.fit(*data)
            answers.append(model.predict_proba(X_new))
            title = f"{name}, {kind.__name__}, {type(member).__name__}, {where}"
            show(f"{title}: exact match", model.score(X_new, Y_new), unit="")
            show(f"{title}: CPU s", spent.here + spent.workers)
        away = np.abs(answers[2] - answers[1]).max()
        show(f"{title}: probabilities away from those of blocks here", away, 0.0, unit="")


def main(arguments=()):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(NAMES))
    parser.add_argument("--labels", type=int, default=None)
    parser.add_argument("--trees", action="store_true")
    chosen = parser.parse_args(arguments)
    from distributed import Client, LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    options = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "dashboard_address": ":0",
        "silence_logs": 50,
    }
    for name in () if chosen.trees else chosen.names:
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            compare(name, chosen.labels, client)
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        compare_trees(client)


if __name__ == "__main__":
    main(sys.argv[1:])
