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
    PooledJoint,
    RBMJoint,
    SupportJoint,
)
from labelfield.joints._engines import ENGINES
from labelfield.joints.factor_graph import FactorGraph
from labelfield.kernels.sets.bits import all_sets
from labelfield.rules import LabelRules, Rule

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


def random_graph(rng, n_labels, third_order, density=0.6):
    """Return some of all pairs and, if asked for, some of all triples."""
    cliques = [c for c in combinations(range(n_labels), 2) if rng.random() < density]
    if third_order:
        cliques += [c for c in combinations(range(n_labels), 3) if rng.random() < density / 2]
    return FactorGraph(n_labels, cliques)


def random_independent(rng, n, L, flavour):
    return IndependentJoint(random_logits(rng, (n, L), flavour))


def random_mixture(rng, n, L, flavour):
    K = rng.integers(1, 5)
    return MixtureJoint(random_log_weights(rng, (n, K)), random_logits(rng, (n, K, L), flavour))


def random_support(rng, n, L, flavour):
    others = rng.choice(2**L - 1, rng.integers(0, 2**L), replace=False)
    sets = all_sets(L)[np.append(others, 2**L - 1)]
    return SupportJoint(sets, random_log_weights(rng, (n, len(sets))))


def random_chain(rng, n, L, flavour):
    logits = random_logits(rng, (n, L), flavour)
    return ChainJoint.linear(logits, rng.normal(0.0, 2.0, (L, L)), rng.permutation(L))


def random_ising(rng, n, L, flavour, third_order=False):
    graph = random_graph(rng, L, third_order)
    shape = (n, graph.n_cliques) if rng.random() < 0.5 else (graph.n_cliques,)
    coupling = random_logits(rng, shape, "ties" if flavour == "ties" else "usual")
    inference = rng.choice(["auto", *(e.name for e in ENGINES.values() if e.exact)])
    unary = random_logits(rng, (n, L), flavour)
    return IsingJoint(unary, graph, coupling, inference=str(inference))


def random_ising_of_third_order(rng, n, L, flavour):
    return random_ising(rng, n, L, flavour, third_order=True)


def random_rbm(rng, n, L, flavour):
    n_hidden = rng.integers(0, 5)
    pair = rng.normal(0.0, 1.0, (L, L))
    return RBMJoint(
        random_logits(rng, (n, L), flavour),
        rng.normal(0.0, 2.0, (L, n_hidden)),
        rng.normal(0.0, 2.0, n_hidden),
        pair=pair + pair.T if rng.random() < 0.5 else None,
    )


SIMPLE = {
    "chain": random_chain,
    "independent": random_independent,
    "ising": random_ising,
    "ising of third order": random_ising_of_third_order,
    "mixture": random_mixture,
    "rbm": random_rbm,
    "support": random_support,
}


def random_simple(rng, n, L, flavour):
    """Return a joint of any kind but those made of other joints."""
    return SIMPLE[rng.choice(sorted(SIMPLE))](rng, n, L, flavour)


def random_candidates(rng, n, L, flavour):
    base = random_simple(rng, n, L, flavour)
    sets, _ = base.top_k(rng.integers(1, 5))
    share = rng.dirichlet(np.ones(sets.shape[1] + 1), n)
    outside = 1.0 - np.exp(base.log_prob(sets)).sum(axis=1)
    share[outside < 1e-4, 0] = 0.0  # what is left out of 1 is known to few digits only
    return CandidateJoint(base, sets, (share / share.sum(axis=1, keepdims=True))[:, 1:])


def random_pool(rng, n, L, flavour):
    makers = [random_simple, random_simple, random_candidates]
    joints = [makers[rng.integers(3)](rng, n, L, flavour) for _ in range(rng.integers(1, 5))]
    weights = np.exp(random_log_weights(rng, (n, len(joints))))
    return PooledJoint(joints, weights if rng.random() < 0.5 else weights[0])


def random_rule(rng, L):
    """Return a rule of any kind about some of L labels."""
    labels = rng.permutation(L).tolist()
    given = labels.pop() if L > 1 and rng.random() < 0.6 else None
    chosen = tuple(sorted(labels[: rng.integers(1, len(labels) + 1)]))
    low, high = sorted(rng.integers(0, len(chosen) + 1, 2).tolist())
    return Rule(chosen, low, high, given)


def random_rules(rng, L):
    """Return up to four rules about L labels that at least one set keeps."""
    sets, rules = all_sets(L), LabelRules([f"y{k}" for k in range(L)])
    for _ in range(rng.integers(0, 5)):
        more = LabelRules(rules.label_names, (*rules, random_rule(rng, L)))
        rules = more if more.keeps(sets).any() else rules
    return rules


@st.composite
def joints_of(draw, make):
    """Return joints that a function of (rng, n, L, flavour) makes."""
    return make(draw(generators), draw(n_rows), draw(n_labels), draw(flavours))


KINDS = {**SIMPLE, "candidate": random_candidates, "pool": random_pool}
JOINTS = {kind: joints_of(make) for kind, make in KINDS.items()}
