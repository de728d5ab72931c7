"""CPU seconds and memory of rules: hierarchies of many labels in products and mixtures.

Run with `python -m benchmarks rules`. The trees are drawn: a label's parent is any label before it.
"""

import resource

import numpy as np

from benchmarks.timing import cpu_seconds, show
from labelfield.joints import IndependentJoint, MixtureJoint
from labelfield.rules import LabelRules

REPEATS = 3
LISTED = 256  # sets that each component of a mixture may list


def drawn_tree(n_labels, seed=0):
    """Return the rules of a random tree."""
    rng = np.random.default_rng(seed)
    parents = np.array([-1, *(rng.random(n_labels - 1) * np.arange(1, n_labels)).astype(int)])
    return LabelRules.from_parents(range(n_labels), parents)


def drawn_product(n, n_labels):
    """Return independent labels with log-odds around -1."""
    return IndependentJoint(np.random.default_rng(1).normal(-1.0, 2.0, (n, n_labels)))


def drawn_mixture(n, n_components, n_labels):
    """Return mixtures of components that differ in some labels, weights far from equal."""
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.full(n_components, 0.3), n) + 1e-9
    log_weights = np.log(weights / weights.sum(axis=1, keepdims=True))
    shared = rng.normal(-1.0, 2.0, (n, 1, n_labels))
    return MixtureJoint(log_weights, shared + rng.normal(0.0, 0.5, (n, n_components, n_labels)))


def peak_megabytes():
    """Return the most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def report(what, joint, target=None):
    """Print CPU seconds of marginals and best sets given a new tree, and of a draw a row."""
    # a new tree for every call: what rules and joints have computed is kept
    trees = iter([drawn_tree(joint.n_labels, seed) for seed in range(REPEATS + 2)])

    def answer():
        bound = joint.given_rules(next(trees))
        bound.marginals()
        bound.mode()

    show(f"{what}: plan, p(rules), marginals, best sets", cpu_seconds(answer, REPEATS), target)
    bound = joint.given_rules(next(trees))
    show(f"{what}: one draw a row", cpu_seconds(lambda: bound.sample(1, 0), REPEATS))


def report_mixture(n, n_labels):
    """Print CPU seconds of mixtures, whose best sets are searched in lists of the components'.

    The best set of a mixture is hard to find in general; what is linear in the number of labels is
    the search in lists of a given length.
    """
    joint, what = drawn_mixture(n, 5, n_labels), f"mixture of 5, {n} rows, {n_labels} labels"
    bound = joint.given_rules(drawn_tree(n_labels))
    trees = iter([drawn_tree(n_labels, seed) for seed in range(REPEATS + 1)])
    show(
        f"{what}: plan, p(rules), marginals",
        cpu_seconds(lambda: joint.given_rules(next(trees)).marginals(), REPEATS),
    )
    show(f"{what}: one draw a row", cpu_seconds(lambda: bound.sample(1, 0), REPEATS))
    bound.max_listed = LISTED
    show(f"{what}: best sets of lists of {LISTED}", cpu_seconds(bound.mode, REPEATS))
    show(f"{what}: best sets proven", 100.0 * bound.certified().mean(), unit="%")


def main():
    joint = drawn_product(1000, 10_000)
    joint.take(slice(1)).given_rules(drawn_tree(10_000)).mode()  # compiled kernels, the rules
    before = peak_megabytes()
    report("product, 1000 rows, 10000 labels", joint, target=2.0)
    show("... memory beyond the log-odds and the rules", peak_megabytes() - before, unit="MB")
    report("product, 1000 rows, 5000 labels", drawn_product(1000, 5000))
    report("product, 1000 rows, 499 labels", drawn_product(1000, 499))
    for n_labels in (1000, 2000, 4000):
        report_mixture(10, n_labels)


if __name__ == "__main__":
    main()
