"""Graphs of labels to try engines on, and the slow twin of every answer about their fields."""

from typing import NamedTuple

import numpy as np

from labelfield.joints import IsingJoint
from labelfield.joints.factor_graph import FactorGraph
from labelfield.kernels.sets.bits import all_sets
from laws import size_marginals_of


def grid(height, width):
    cells = np.arange(height * width).reshape(height, width)
    across = np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()], axis=1)
    down = np.stack([cells[:-1].ravel(), cells[1:].ravel()], axis=1)
    return FactorGraph(height * width, np.concatenate([across, down]))


def random_tree(n_labels, rng):
    names = rng.permutation(n_labels)
    edges = [(names[i], names[rng.integers(i)]) for i in range(1, n_labels)]
    return FactorGraph(n_labels, edges)


def cycle(n_labels):
    return FactorGraph(n_labels, [(i, (i + 1) % n_labels) for i in range(n_labels)])


def sparse_graph(n_labels, n_edges, rng):
    pairs = np.column_stack(np.triu_indices(n_labels, 1))
    return FactorGraph(n_labels, pairs[rng.choice(len(pairs), n_edges, replace=False)])


def third_order(n_labels, rng):
    pairs = sparse_graph(n_labels, n_labels, rng).cliques
    triples = {tuple(sorted(rng.choice(n_labels, 3, replace=False).tolist())) for _ in range(5)}
    return FactorGraph(n_labels, [*pairs, *triples])


def families(rng):
    """Return named graphs of at most 12 labels."""
    return {
        "forest": FactorGraph(9, [(0, 1), (1, 2), (4, 8), (8, 5), (8, 3)]),
        "tree": random_tree(12, rng),
        "cycle": cycle(11),
        "grid": grid(3, 4),
        "sparse": sparse_graph(12, 16, rng),
        "complete": FactorGraph.complete(8),
        "triples": third_order(9, rng),
        "no edge": FactorGraph(5, []),
    }


def random_field(graph, n, rng, strength=1.0, shared=False):
    """Return a joint with normal unaries and couplings."""
    unary = rng.normal(0.0, 1.0, (n, graph.n_labels))
    coupling = rng.normal(0.0, strength, graph.n_cliques if shared else (n, graph.n_cliques))
    return IsingJoint(unary, graph, coupling, inference="auto")


class Truth(NamedTuple):
    """Answers from the list of all sets, scored by matrix products."""

    scores: np.ndarray
    log_partition: np.ndarray
    marginals: np.ndarray
    clique_marginals: np.ndarray
    pair_marginals: np.ndarray
    size_marginals: np.ndarray


def truth_of(joint):
    sets = all_sets(joint.n_labels).astype(float)
    products = np.array([sets[:, list(c)].prod(axis=1) for c in joint.graph.cliques])
    products = products.reshape(joint.graph.n_cliques, len(sets))
    scores = joint.unary @ sets.T + np.atleast_2d(joint.coupling) @ products
    log_partition = np.logaddexp.reduce(scores, axis=1)
    p = np.exp(scores - log_partition[:, None])
    return Truth(
        scores,
        log_partition,
        p @ sets,
        p @ products.T,
        np.einsum("ns,sl,sm->nlm", p, sets, sets),
        size_marginals_of(sets, p),
    )
