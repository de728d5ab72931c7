"""What a further base learner would add to LabelSetClassifier, judged inside a training part only.

    python -m lab.studies.defaults.pool_bases FOLDER... [--bases A,B,...] [--rows N]

The training part is that of `lab.studies.defaults.pool`. The base learners of the budget "balanced"
are fitted once; then each candidate is added to them, and the pool is judged on rows that none of
its parts have seen.
"""

import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from lightgbm import LGBMClassifier
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.preprocessing import StandardScaler

from lab.studies.defaults.pool import learned_bases, pool_figures, reader_of, show, training_part
from labelfield._gate.reading import take_rows
from labelfield.auto.bases import BoostedBase, ForestBase, LassoBase, SvmBase
from labelfield.auto.bases.base import FoldwiseBase
from labelfield.auto.evidence import Scores
from labelfield.auto.plan import N_TREES
from labelfield.kernels.sets.logspace import clipped_logit
from labelfield.learners import KernelView, RowForest

N_NEIGHBOURS = 15
LEAST_COUNT = 3  # rows of a set that boosting is to know
LEAST_SHARE = 1e-4
N_COMPONENTS = 40
MIN_LEAF = 3


class NeighbourSets(FoldwiseBase):
    """The label sets of the nearest rows, nearer ones weighing more."""

    def fit_rows(self, data, rows):
        """Keep the rows as the kernel sees them."""
        X = data.features.kernel
        view = KernelView("unit" if sp.issparse(X) else "ranks").fit(X)
        known = view.transform(take_rows(X, rows))
        return view, known, data.filled[rows], data.listed.one_hot(rows)

    def scores_by(self, model, features):
        """Return smoothed shares among the neighbours."""
        view, known, Y, sets = model
        distances = view.distances(view.transform(features.kernel), known)
        nearest = np.argsort(distances, axis=1)[:, :N_NEIGHBOURS]
        near = np.take_along_axis(distances, nearest, axis=1)
        share = np.exp(-2.0 * near / np.maximum(near[:, -1:], 1e-12))
        share /= share.sum(axis=1, keepdims=True)
        weights = np.zeros(distances.shape)
        np.put_along_axis(weights, nearest, share, axis=1)
        labels = (N_NEIGHBOURS * (weights @ Y) + 0.5) / (N_NEIGHBOURS + 1.0)
        return Scores(clipped_logit(labels), np.log(weights @ sets + 0.5 / N_NEIGHBOURS))


class BoostedSets(FoldwiseBase):
    """Joint boosting: LightGBM with a softmax over the label sets seen in training."""

    def fit_rows(self, data, rows):
        """Boost on the rows of the sets that are not too rare."""
        of_row = data.listed.of_row[rows]
        frequent = np.flatnonzero(data.listed.counts(rows) >= LEAST_COUNT)
        chosen = np.isin(of_row, frequent)
        trees = LGBMClassifier(
            n_estimators=40,
            num_leaves=5,
            colsample_bytree=0.3,
            min_child_samples=5,
            n_jobs=1,
            random_state=0,
            verbose=-1,
        )
        X = take_rows(data.features.trees, rows[chosen])
        return trees.fit(X, of_row[chosen]), data.listed.sets

    def scores_by(self, model, features):
        """Return log-probabilities of the sets and the log-odds they give the labels."""
        trees, sets = model
        P = np.full((features.trees.shape[0], len(sets)), LEAST_SHARE)
        P[:, trees.classes_] += trees.predict_proba(features.trees)
        P /= P.sum(axis=1, keepdims=True)
        labels = np.clip(P @ sets, LEAST_SHARE, 1.0 - LEAST_SHARE)
        return Scores(clipped_logit(labels), np.log(P))


class LargeLeaves(ForestBase):
    """A forest whose leaves hold three rows or more."""

    def _grow(self, data, rows, seed):
        forest = RowForest(self.n_trees, min_samples_leaf=MIN_LEAF, random_state=seed)
        forest.fit(take_rows(data.features.trees, rows), data.filled[rows])
        return forest, data.filled[rows], data.listed.one_hot(rows)


class ComponentForest(ForestBase):
    """A forest on principal components, found without the labels."""

    def hold_out(self, data):
        """Grow forests on the components of all rows."""
        X = data.features.trees
        size = min(N_COMPONENTS, *X.shape)
        if sp.issparse(X):
            Z = TruncatedSVD(size, random_state=0).fit_transform(X)
        else:
            scaled = StandardScaler().fit_transform(X)
            Z = PCA(size, whiten=True, random_state=0).fit_transform(scaled)
        return super().hold_out(replace(data, features=replace(data.features, trees=Z)))


class OtherSeed(ForestBase):
    """The same forest once more."""

    def hold_out(self, data):
        """Grow with other seeds."""
        return super().hold_out(replace(data, seed=data.seed + 1000))


CANDIDATES = {
    "lasso": lambda: LassoBase("lasso regressions"),
    "machines": lambda: SvmBase("machines"),
    "neighbours": lambda: NeighbourSets("neighbours"),
    "boosted-sets": lambda: BoostedSets("boosted sets"),
    "boosted-labels": lambda: BoostedBase("boosted"),
    "large-leaves": lambda: LargeLeaves("large leaves", N_TREES),
    "components": lambda: ComponentForest("components", N_TREES),
    "more-trees": lambda: OtherSeed("more trees", N_TREES),
}


def compare(of_data, X, Y, names):
    """Show the pool as it is and with each candidate."""
    data, evidence, seconds = learned_bases(X, Y)
    show(of_data, "as it is", *pool_figures(evidence, data, seconds))
    for name in names:
        started = time.process_time()
        base = CANDIDATES[name]()
        more = evidence.take(np.arange(len(Y)))
        more.add(base.name, base.hold_out(data))
        spent = time.process_time() - started
        figures = pool_figures(more, data, seconds | {base.name: spent})
        show(of_data, f"with {name}", *figures[:-1], spent)


def main(words):
    """Read the command line and compare."""
    reader = reader_of(__doc__)
    reader.add_argument("--bases", default=",".join(CANDIDATES))
    chosen = reader.parse_args(words)
    warnings.simplefilter("ignore")
    for folder in chosen.folders:
        X, Y = training_part(folder, chosen.rows, chosen.standard)
        compare(Path(folder).name, X, Y, chosen.bases.split(","))


if __name__ == "__main__":
    main(sys.argv[1:])
