"""What the parts of LabelSetClassifier are worth, judged inside a training part only.

    python -m lab.studies.defaults.pool forests FOLDER... [--parts 5]
    python -m lab.studies.defaults.pool layers FOLDER... [--rows N]
    python -m lab.studies.defaults.pool weights FOLDER... [--rows N]

The training part is that of the first of three folds (KFold, shuffled, seed 0), so that settings
chosen here have not seen the test rows of that fold. `forests` fits all variants to four fifths of
it and measures them on the rest: the forests of the folds
answering together, against one on all rows. `layers` fits the base learners once and shows what the
pool reaches on rows that its parts have not seen, with and without some of its layers, or with one
that starts elsewhere. `weights` does so with other weights of the members: drawn to equal ones by
pseudo-rows for each member (a Dirichlet prior), and moved for the exact match.
"""

import argparse
import sys
import time
import warnings
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from sklearn.model_selection import KFold

from lab.arena.folders import read_folder
from lab.arena.tuning import set_log_likelihood
from labelfield.auto import layers, learning
from labelfield.auto.bases import ForestBase
from labelfield.auto.classifier import LabelSetClassifier
from labelfield.auto.evidence import in_order
from labelfield.auto.features import FeatureViews
from labelfield.auto.judging import judge, measured
from labelfield.auto.plan import N_TREES, plan_bases
from labelfield.auto.pooling import learn_pooling
from labelfield.joints import PooledJoint
from labelfield.metrics import f1_score
from labelfield.models.mixture.conditional_mixture import ConditionalBernoulliMixture
from labelfield.models.stacking.weights import (
    exact_match_weights,
    held_out_log_prob,
    likelihood_weights,
)

MANY_TREES = 200
PSEUDO_ROWS = (0, 2, 10, 30)
CHANGED = {  # a layer is left out by its limit
    "all layers": {},
    "no field": {"labelfield.auto.layers.MAX_FIELD_CELLS": 0},
    "no mixture": {"labelfield.auto.layers.MAX_MIXTURE_CELLS": 0},
    "mixture, whatever it gains": {"labelfield.auto.layers.LEAST_GAIN": -np.inf},
    "mixture begun by the most frequent sets": {
        "labelfield.auto.members.ConditionalBernoulliMixture": partial(
            ConditionalBernoulliMixture, init="sets"
        )
    },
    "no products of bases": {"labelfield.auto.layers.MAX_PRODUCT_CELLS": 0},
}


class WholeForest(ForestBase):
    """A forest that is grown once more on all rows, which answers alone."""

    def fit(self, data):
        self.forests = [self._grow(data, np.arange(len(data.Y)), data.seed)]
        return self


def training_part(folder, n_rows, standard=False):
    """Return X, Y of the training part of the first of three folds, or of rows drawn from it.

    `standard` asks for the training file instead, where there is one.
    """
    folds = None if standard else 3
    entrant = read_folder(folder, folds=folds)
    cut = entrant.cuts(folds or 3, 0)[0]
    rows = (cut.shortened(n_rows, seed=0) if n_rows else cut).train
    return entrant.data.X[rows], np.asarray(entrant.data.Y)[rows]


def compare_forests(of_data, X, Y, n_parts):
    variants = {
        f"{N_TREES} trees a fold, together": (ForestBase, N_TREES),
        f"{N_TREES} trees a fold, refitted": (WholeForest, N_TREES),
        f"{MANY_TREES} trees a fold, refitted": (WholeForest, MANY_TREES),
    }
    found = {name: [] for name in variants}
    parts = KFold(5, shuffle=True, random_state=1).split(Y)
    for _, (train, test) in zip(range(n_parts), parts):
        for name, (kind, n_trees) in variants.items():
            with (
                patch("labelfield.auto.plan.ForestBase", kind),
                patch("labelfield.auto.plan.N_TREES", n_trees),
            ):
                started = time.process_time()
                model = LabelSetClassifier().fit(X[train], Y[train])
                spent = time.process_time() - started
            found[name].append([*figures(model, X[test], Y[test], Y[train]), spent])
    for name, rows in found.items():
        show(of_data, name, *np.mean(rows, axis=0))


def figures(model, X, Y, Y_train):
    """Return log-likelihood, exact match, F1 and Hamming loss, each with its own decision."""
    log_prob = set_log_likelihood(model.predict_joint(X).log_prob(Y), Y, Y_train).mean()
    exact = (model.predict(X) == Y).all(axis=1).mean()
    f1 = f1_score(Y, model.predict(X, decoder="f1"), average="samples")
    return log_prob, exact, f1, (model.predict(X, decoder="hamming") != Y).mean()


def compare_layers(of_data, X, Y):
    data, evidence, seconds = learned_bases(X, Y)
    for name, settings in CHANGED.items():
        with ExitStack() as stack:
            for path, value in settings.items():
                stack.enter_context(patch(path, value))
            show(of_data, name, *pool_figures(evidence, data, seconds))


def learned_bases(X, Y):
    """Fit the base learners of "balanced"; return the data, their evidence and CPU seconds."""
    model = LabelSetClassifier()
    model._views = FeatureViews()
    data = learning.prepare(model, X, Y, None)
    plan = plan_bases(data.features, Y.shape[1], "balanced")
    _, evidence, seconds = learning.learn_bases(plan, data, "balanced", silent_part)
    return data, evidence, seconds


def pool_figures(evidence, data, seconds):
    """Return what the pool on the evidence reaches, as `figures` does, and its CPU seconds."""
    started = time.process_time()
    again = evidence.take(np.arange(len(data.Y)))  # layers add to it
    own = layers.Layers(least_gain=layers.LEAST_GAIN)
    joints = own.fit(again, data)
    weights, _, pools = learn_pooling(joints, again, data)
    pool = judge(again, joints, pools, weights, data, seconds | own.seconds)[0]
    spent = time.process_time() - started
    return *(pool[name] for name in ("log_likelihood", "exact_match", "f1", "hamming")), spent


def compare_weights(of_data, X, Y):
    data, evidence, _ = learned_bases(X, Y)
    joints = layers.Layers().fit(evidence, data)
    log_prob = held_out_log_prob(joints, data.Y, data.folds)
    modes = [[parts[k].mode() for parts in joints.values()] for k in range(len(data.folds))]
    modes = [np.stack(sets, axis=1) for sets in modes]  # (rows, members, L) of every fold
    of_modes = [
        np.stack([parts[k].log_prob(sets) for parts in joints.values()], axis=2)
        for k, sets in enumerate(modes)
    ]
    of_modes = in_order(data.folds, of_modes)
    right = (in_order(data.folds, modes) == Y[:, None]).all(axis=2)

    def for_exact_match(train):
        return exact_match_weights(of_modes[train], right[train], drawn_to_equal(0, train))

    def drawn_to_equal(n_rows, train):
        only_one = np.where(np.eye(len(joints)) > 0, 0.0, -np.inf)
        counts = np.append(np.ones(len(train)), np.full(len(joints), n_rows))
        return likelihood_weights(np.vstack([log_prob[train], only_one]), counts)

    variants = {f"{c} pseudo-rows a member": partial(drawn_to_equal, c) for c in PSEUDO_ROWS}
    for name, weigh in (variants | {"moved for the exact match": for_exact_match}).items():
        started = time.process_time()
        pools = [
            PooledJoint([parts[k] for parts in joints.values()], weigh(train))
            for k, (train, _) in enumerate(data.folds)
        ]
        measures = measured(pools, data)
        show(of_data, name, *measures.values(), time.process_time() - started)


@contextmanager
def silent_part(name, total):
    yield lambda step: nullcontext()


def show(of_data, name, log_likelihood, exact, f1, hamming, seconds):
    print(
        f"{of_data}, {name}: log-likelihood {log_likelihood:.3f}, exact match {exact:.3f}, "
        f"F1 {f1:.3f}, Hamming loss {hamming:.4f}, {seconds:.1f} CPU s",
        flush=True,
    )


def reader_of(words, studies=()):
    """Return a reader of the command line: which study, of which folders and rows."""
    reader = argparse.ArgumentParser(
        description=words, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if studies:
        reader.add_argument("study", choices=studies)
    reader.add_argument("folders", nargs="+")
    reader.add_argument("--rows", type=int, help="so many of the training part, drawn at random")
    reader.add_argument("--standard", action="store_true", help="the training file, if any")
    return reader


def compare_folders(words, argv, compare):
    """Read the command line and call compare(name, X, Y) with the training part of each folder."""
    chosen = reader_of(words).parse_args(argv)
    warnings.simplefilter("ignore")
    for folder in chosen.folders:
        compare(Path(folder).name, *training_part(folder, chosen.rows, chosen.standard))


def main(words):
    reader = reader_of(__doc__, studies=("forests", "layers", "weights"))
    reader.add_argument("--parts", type=int, default=5, help="measured fifths of `forests`")
    chosen = reader.parse_args(words)
    warnings.simplefilter("ignore")
    for folder in chosen.folders:
        name, (X, Y) = Path(folder).name, training_part(folder, chosen.rows, chosen.standard)
        if chosen.study == "forests":
            compare_forests(name, X, Y, chosen.parts)
        elif chosen.study == "layers":
            compare_layers(name, X, Y)
        else:
            compare_weights(name, X, Y)


if __name__ == "__main__":
    main(sys.argv[1:])
