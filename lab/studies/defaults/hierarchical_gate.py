"""Does a gate in the form of a tree pay? (C. Li (2019), section 3.12.2)

    python -m lab.studies.defaults.hierarchical_gate [scene] [bibtex]

The mixture's number of rounds is chosen on its own validation part, a fifth of the training rows.
It keeps its components; its flat gate is replaced by a binary tree of logistic regressions, fitted
to the same memberships, whose leaves are the components. In prediction a branch is left out for the
rows that reach it with a probability below 1e-3.
"""

import sys

import numpy as np
from benchmarks.timing import cpu_seconds, show
from scipy.cluster.hierarchy import linkage, to_tree
from scipy.special import log_expit

from labelfield import ConditionalBernoulliMixture
from labelfield.datasets import load_dataset
from labelfield.decode import SubsetDecoder
from labelfield.joints import MixtureJoint
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.learners import LogisticLearner
from labelfield.metrics import subset_accuracy

PRUNE = np.log(1e-3)
SETTINGS = {"scene": (20, 80), "bibtex": (20, 40)}


class TreeGate:
    """Binary splits between groups of components, likely ones evaluated only."""

    def __init__(self, X, Y, gamma, alpha):
        rates = (gamma.T @ Y) / np.maximum(gamma.sum(axis=0), 1e-9)[:, None]
        self.n_components = gamma.shape[1]
        self.root = to_tree(linkage(rates, "average"))
        self.splits = {}
        self._fit(self.root, X, gamma, alpha)

    def _fit(self, node, X, gamma, alpha):
        if node.is_leaf():
            return
        left, right = (gamma[:, side.pre_order()].sum(axis=1) for side in (node.left, node.right))
        rows = np.flatnonzero(left + right > 1e-5)
        total = (left + right)[rows]
        learner = LogisticLearner(alpha=alpha, max_iter=50, warn=False)
        learner.fit(X[rows], (left[rows] / total)[:, None], sample_weight=total)
        self.splits[node.id] = learner
        for side in (node.left, node.right):
            self._fit(side, X, gamma, alpha)

    def log_weights(self, X):
        """Return log p(component | x) (n, K) and the share of the splits that were evaluated."""
        answer = np.full((X.shape[0], self.n_components), 2.0 * PRUNE)
        self.evaluated = 0
        self._descend(self.root, X, np.arange(X.shape[0]), np.zeros(X.shape[0]), answer)
        return answer - logsumexp(answer, axis=1)[:, None]

    def _descend(self, node, X, rows, reach, answer):
        if node.is_leaf():
            answer[rows, node.id] = reach
            return
        self.evaluated += len(rows)
        logits = self.splits[node.id].decision(X[rows])[:, 0]
        for side, step in ((node.left, log_expit(logits)), (node.right, log_expit(-logits))):
            kept = reach + step > PRUNE
            self._descend(side, X, rows[kept], (reach + step)[kept], answer)


def compare(name, n_components):
    train, test = (load_dataset(name, split=split) for split in ("train", "test"))
    model = ConditionalBernoulliMixture(
        alpha=1.0, n_components=n_components, max_iter=15, random_state=0
    ).fit(train.X, train.Y)
    log_joint = model.gate_.log_weights(train.X) + model.components_.log_prob(train.X, train.Y)
    gamma = np.exp(log_joint - logsumexp(log_joint, axis=1)[:, None])
    tree = TreeGate(train.X, train.Y, gamma, model.alpha)
    what = f"{name} K={n_components}"
    whole = cpu_seconds(lambda: model.predict(test.X), repeats=3)
    flat = cpu_seconds(lambda: model.gate_.log_weights(test.X), repeats=3)
    pruned = cpu_seconds(lambda: tree.log_weights(test.X), repeats=3)
    share = tree.evaluated / (test.X.shape[0] * (n_components - 1))
    show(f"{what}: share of splits that the tree evaluates", 100 * share, unit="%")
    show(f"{what}: the flat gate's share of a prediction", 100 * flat / whole, unit="%")
    show(f"{what}: seconds of the tree / of the flat gate", pruned / flat, unit="x")
    logits = model.components_.logits(test.X)
    for title, gate in (("flat", model.gate_), ("tree", tree)):
        joint = MixtureJoint(gate.log_weights(test.X), logits)
        sets = SubsetDecoder().decode(joint, empty_seen=model.empty_seen_)
        show(f"{what}: exact match, {title} gate", 100 * subset_accuracy(test.Y, sets), unit="%")


def main(names):
    for name in names or SETTINGS:
        for n_components in SETTINGS[name]:
            compare(name, n_components)


if __name__ == "__main__":
    main(sys.argv[1:])
