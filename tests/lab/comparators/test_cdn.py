"""Gibbs sampling of a dependency network against the eigenvector of its sweeps."""

import numpy as np
from lab.comparators.cdn import ConditionalDependencyNetwork, gibbs_marginals
from scipy.special import expit

from comparator_contract import keeps_promises
from labelfield.kernels.sets.bits import all_sets


def settled(logits, coupling):
    """Return the marginals of the distribution that one sweep over the labels leaves as it is."""
    sets = all_sets(len(logits))
    sweep = np.eye(len(sets))
    for j in range(len(logits)):
        step = np.zeros_like(sweep)
        for k, labels in enumerate(sets):
            p = expit(logits[j] + labels @ coupling[:, j])
            for value, chance in ((0, 1 - p), (1, p)):
                moved = labels.copy()
                moved[j] = value
                step[k, (sets == moved).all(axis=1).argmax()] += chance
        sweep = sweep @ step
    values, vectors = np.linalg.eig(sweep.T)
    law = np.real(vectors[:, np.argmax(np.real(values))])
    return law @ sets / law.sum()


def test_marginals_are_those_of_the_settled_sweeps():
    logits = np.array([[0.5, -1.0, 0.3], [-0.7, 0.4, -0.2]])
    coupling = np.array([[0.0, 2.0, -1.0], [0.5, 0.0, 1.5], [-2.0, 1.0, 0.0]])  # no joint has these
    found = gibbs_marginals(logits, coupling, 50, 20_000, np.random.default_rng(0))
    np.testing.assert_allclose(found, [settled(row, coupling) for row in logits], atol=0.01)


def test_contract():
    model = ConditionalDependencyNetwork(n_burn_in=5, n_draws=10, tol=1e-9, random_state=0)
    keeps_promises(model, check_label_permutation="sweeps in another order draw other sets")
