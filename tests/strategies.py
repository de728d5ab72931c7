"""Random joints of every kind: ties, certain and near-certain labels, L = 1 and n = 1 included."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from labelfield.joints import (
    CandidateJoint,
    ChainJoint,
    IndependentJoint,
    IsingJoint,
    MixtureJoint,
    RBMJoint,
    SupportJoint,
)
from labelfield.joints._engines import ENGINES
from labelfield.joints.factor_graph import FactorGraph
from labelfield.kernels.sets.bits import all_sets

generators = st.integers(0, 2**32 - 1).map(np.random.default_rng)
flavours = st.sampled_from(["usual", "ties", "extreme", "certain", "huge"])
n_rows = st.integers(1, 3)
n_labels = st.integers(1, 5)


def random_logits(rng, shape, flavour):
    """Return log-odds: usual, small integers, far out, some of them infinite or near overflow."""
    logits = rng.normal(-0.5, 25.0 if flavour == "extreme" else 2.0, shape)
    if flavour == "ties":
        return np.round(logits)
    if flavour == "certain":
        logits[rng.random(shape) < 0.3] *= np.inf
    if flavour == "huge":
        logits = np.where(rng.random(shape) < 0.4, np.sign(logits) * 1e17, logits)
        logits = np.where(rng.random(shape) < 0.2, np.sign(logits) * 1.7e308, logits)
    return logits


def random_log_weights(rng, shape):
    """Return normalised log-weights (n, K), some of them -inf."""
    weights = rng.dirichlet(np.full(shape[1], 0.7), shape[0])
    weights[rng.random(shape) < 0.2] = 0.0
    weights[:, 0] += 1e-3
    with np.errstate(divide="ignore"):
        return np.log(weights / weights.sum(axis=1, keepdims=True))


@st.composite
def independent_joints(draw):
    rng, n, L, flavour = draw(generators), draw(n_rows), draw(n_labels), draw(flavours)
    return IndependentJoint(random_logits(rng, (n, L), flavour))


@st.composite
def mixture_joints(draw):
    rng, n, L, flavour = draw(generators), draw(n_rows), draw(n_labels), draw(flavours)
    K = draw(st.integers(1, 4))
    return MixtureJoint(random_log_weights(rng, (n, K)), random_logits(rng, (n, K, L), flavour))


@st.composite
def support_joints(draw):
    rng, n, L = draw(generators), draw(n_rows), draw(n_labels)
    others = rng.choice(2**L - 1, draw(st.integers(0, 2**L - 1)), replace=False)
    sets = all_sets(L)[np.append(others, 2**L - 1)]
    return SupportJoint(sets, random_log_weights(rng, (n, len(sets))))


@st.composite
def chain_joints(draw):
    rng, n, L, flavour = draw(generators), draw(n_rows), draw(n_labels), draw(flavours)
    logits = random_logits(rng, (n, L), flavour)
    return ChainJoint.linear(logits, rng.normal(0.0, 2.0, (L, L)), rng.permutation(L))


def random_graph(rng, n_labels, third_order, density=0.6):
    """Return some of all pairs and, if asked for, some of all triples."""
    cliques = [c for c in combinations(range(n_labels), 2) if rng.random() < density]
    if third_order:
        cliques += [c for c in combinations(range(n_labels), 3) if rng.random() < density / 2]
    return FactorGraph(n_labels, cliques)


@st.composite
def ising_joints(draw, third_order=False):
    rng, n, L, flavour = draw(generators), draw(n_rows), draw(n_labels), draw(flavours)
    graph = random_graph(rng, L, third_order)
    shape = (n, graph.n_cliques) if draw(st.booleans()) else (graph.n_cliques,)
    coupling = random_logits(rng, shape, "ties" if flavour == "ties" else "usual")
    inference = draw(st.sampled_from(["auto", *(e.name for e in ENGINES.values() if e.exact)]))
    return IsingJoint(random_logits(rng, (n, L), flavour), graph, coupling, inference=inference)


@st.composite
def rbm_joints(draw):
    rng, n, L, flavour = draw(generators), draw(n_rows), draw(n_labels), draw(flavours)
    n_hidden = draw(st.integers(0, 4))
    pair = rng.normal(0.0, 1.0, (L, L))
    return RBMJoint(
        random_logits(rng, (n, L), flavour),
        rng.normal(0.0, 2.0, (L, n_hidden)),
        rng.normal(0.0, 2.0, n_hidden),
        pair=pair + pair.T if draw(st.booleans()) else None,
    )


@st.composite
def candidate_joints(draw):
    kinds = [independent_joints(), support_joints(), ising_joints(), rbm_joints(), chain_joints()]
    rng, base = draw(generators), draw(st.one_of(kinds))
    sets, _ = base.top_k(draw(st.integers(1, 4)))
    share = rng.dirichlet(np.ones(sets.shape[1] + 1), len(base))
    outside = 1.0 - np.exp(base.log_prob(sets)).sum(axis=1)
    share[outside < 1e-4, 0] = 0.0  # what is left out of 1 is known to few digits only
    return CandidateJoint(base, sets, (share / share.sum(axis=1, keepdims=True))[:, 1:])


JOINTS = {
    "candidate": candidate_joints(),
    "chain": chain_joints(),
    "independent": independent_joints(),
    "ising": ising_joints(),
    "ising of third order": ising_joints(third_order=True),
    "mixture": mixture_joints(),
    "rbm": rbm_joints(),
    "support": support_joints(),
}
