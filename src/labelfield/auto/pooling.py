"""The pool of the members: its weights, alike for all rows or by how sure the pool is."""

from dataclasses import dataclass

import numpy as np

from labelfield.auto.evidence import in_order
from labelfield.joints import PooledJoint
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.models.stacking.gate import WeightGate, chosen_gate
from labelfield.models.stacking.weights import held_out_log_prob, kept_weights, likelihood_weights

__all__ = ["SurenessGate", "held_out_sureness", "learn_pooling", "sureness"]

MIN_GATE_ROWS = 1000  # with fewer, a gate was never better by more than a standard error
LEAST_LOG_MASS = -20.0


@dataclass(eq=False)
class SurenessGate:
    """Weights of the members in a row by how sure the pool with plain weights is of its best set.

    Attributes
    ----------
    gate : WeightGate
    sets : uint8 array (S, L)
        The sets seen in training. How probable the product of the labels finds them all together
        is the second thing the gate looks at.
    """

    gate: WeightGate
    sets: np.ndarray

    def pool(self, plain, product, possible):
        """Return the pool with other weights; `possible` (n, S) tells the sets of a row."""
        weights = self.gate.weights(sureness(plain, product, self.sets, possible))
        return PooledJoint(plain.joints, weights, names=plain.names)


def sureness(plain, product, sets, possible):
    """Return what a gate looks at: log-probabilities of the best set and of the sets seen: (n, 2).

    Parameters
    ----------
    plain : PooledJoint
        With weights alike for all rows.
    product : Joint
        Independent labels.
    sets : uint8 array (S, L)
    possible : bool array (n, S)
        Which of the sets were seen in the training rows behind a row.
    """
    log_prob = product.log_scores_of(sets) - product.log_normalizer()[:, None]
    seen = logsumexp(np.where(possible, log_prob, -np.inf), axis=1)
    return np.stack([plain.top_k(1)[1][:, 0], np.clip(seen, LEAST_LOG_MASS, 0.0)], axis=1)


def learn_pooling(joints, evidence, data):
    """Return the weights of the members, a gate, and the pools of the folds' test rows.

    Weights maximise the likelihood of all held-out rows; those of a fold's pool, of the rows of the
    other folds, and so does its gate. Only the strength of the gate is chosen on all of them.

    Parameters
    ----------
    joints : dict of member -> list of joints, one per fold
    evidence : Evidence
    data : Training

    Returns
    -------
    weights : dict of member -> float
    gate : SurenessGate or None
        For the members that `kept_weights` keeps.
    pools : list of PooledJoint, one per fold
    """
    names = list(joints)
    log_prob = held_out_log_prob(joints, data.Y, data.folds)
    pools = []
    for number, (train, _) in enumerate(data.folds):
        weights = likelihood_weights(log_prob[train], data.weight_of(train))
        pools.append(PooledJoint([joints[name][number] for name in names], weights, names=names))
    weights = dict(zip(names, likelihood_weights(log_prob, data.sample_weight).tolist()))
    if len(data.Y) < MIN_GATE_ROWS or not len(data.listed.sets):
        return weights, None, pools
    kept = list(kept_weights(names, list(weights.values())))
    log_prob = log_prob[:, [names.index(name) for name in kept]]
    F = held_out_sureness(pools, joints["independent"], evidence, data)
    gate = chosen_gate(F, log_prob, data.folds, data.sample_weight)
    if gate is None:
        return weights, None, pools
    for number, (train, test) in enumerate(data.folds):
        own = WeightGate(gate.alpha).fit(F[train], log_prob[train], data.weight_of(train))
        members = [joints[name][number] for name in kept]
        pools[number] = PooledJoint(members, own.weights(F[test]), names=kept)
    return weights, SurenessGate(gate, data.listed.sets), pools


def held_out_sureness(pools, products, evidence, data):
    """Return `sureness` of all rows from the pools and products of the folds' test rows."""
    possible = evidence.possible()
    parts = [
        sureness(pool, product, data.listed.sets, possible[test])
        for (_, test), pool, product in zip(data.folds, pools, products)
    ]
    return in_order(data.folds, parts)
