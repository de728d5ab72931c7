"""What speaks for each label beside the others, and for a set as a whole, by kind of joint."""

from functools import singledispatch

import numpy as np
from scipy.special import logit

from labelfield._typing import FloatArray, LabelArray
from labelfield.joints.base import Joint
from labelfield.joints.chain import ChainJoint
from labelfield.joints.independent import IndependentJoint
from labelfield.joints.ising import IsingJoint
from labelfield.joints.mixture import MixtureJoint
from labelfield.joints.pooled import PooledJoint
from labelfield.joints.rbm import RBMJoint
from labelfield.kernels.sets.logspace import log_bernoulli, log_product

__all__ = ["Term", "label_terms", "set_parts"]

Term = tuple[str, float]
Terms = tuple[FloatArray, list[list[Term]]]


@singledispatch
def label_terms(one: Joint, present: LabelArray, named: list[str]) -> Terms:
    """Return what each label has of its own (L,), and what else adds to that, label by label.

    They add up to log p(set with the label) - log p(set without it), the rest of the set as in
    `present` (L,). `one` is a joint of one row. A joint that is no sum of such terms gives the
    log-odds of the marginals as a label's own, and what the rest of the set changes as the other
    term; all is the label's own where either is infinite.
    """
    chosen = np.eye(one.n_labels, dtype=bool)
    pairs = np.stack([np.where(chosen, 1, present), np.where(chosen, 0, present)]).astype(np.uint8)
    with_label, without = one.log_score(pairs.reshape(1, -1, one.n_labels)).reshape(2, -1)
    own = logit(one.marginals()[0])
    possible = np.isfinite(with_label) | np.isfinite(without)
    given = np.subtract(with_label, without, out=own.copy(), where=possible)
    finite = np.isfinite(own) & np.isfinite(given)
    others = [
        [("the other labels", float(change))] if usable and len(named) > 1 else []
        for change, usable in zip(np.where(finite, given, 0.0) - np.where(finite, own, 0.0), finite)
    ]
    return np.where(finite, own, given), others


@label_terms.register
def _of_product(one: IndependentJoint, present: LabelArray, named: list[str]) -> Terms:
    del present
    return one.logits[0], [[] for _ in named]


@label_terms.register
def _of_field(one: IsingJoint, present: LabelArray, named: list[str]) -> Terms:
    weights = np.broadcast_to(one.coupling, (1, one.graph.n_cliques))[0]
    others: list[list[Term]] = [[] for _ in named]
    for clique, weight in zip(one.graph.cliques, weights):
        for label in clique:
            rest = [other for other in clique if other != label]
            if weight and present[rest].all():
                others[label].append((" + ".join(named[k] for k in rest), float(weight)))
    return one.unary[0], others


@label_terms.register
def _of_machine(one: RBMJoint, present: LabelArray, named: list[str]) -> Terms:
    own = one.unary[0].copy()
    others: list[list[Term]] = [[] for _ in named]
    if one.pair is not None:
        own += np.diag(one.pair)
        for label, weights in enumerate(2.0 * one.pair):
            rest = [m for m in np.flatnonzero(present) if m != label]
            others[label] += [(named[m], float(weights[m])) for m in rest]
    beside = one.hidden_bias + present @ one.coupling - present[:, None] * one.coupling
    effect = np.logaddexp(0.0, beside + one.coupling) - np.logaddexp(0.0, beside)
    for label, units in enumerate(effect):
        others[label] += [(f"hidden unit {j}", float(value)) for j, value in enumerate(units)]
    return own, others


@label_terms.register
def _of_chain(one: ChainJoint, present: LabelArray, named: list[str]) -> Terms:
    """Earlier labels change a label's log-odds; a label changes the probabilities of later ones."""
    chain = present[one.order]
    own = np.empty(one.n_labels)
    others: list[list[Term]] = [[] for _ in named]
    for j, label in enumerate(one.order):
        # The earlier labels enter one by one, in chain order.
        prefixes = np.tril(np.broadcast_to(chain[:j], (j + 1, j)), -1)
        log_odds = one._log_odds(j, np.repeat(one._rows, j + 1), prefixes)
        own[label] = log_odds[0]
        entered = np.flatnonzero(chain[:j])
        steps = np.diff(log_odds)[entered] if np.isfinite(log_odds).all() else 0.0 * entered
        others[label] += [(named[one.order[m]], float(w)) for m, w in zip(entered, steps)]
        flipped = np.concatenate([np.where(np.eye(j, dtype=bool), y, chain[:j]) for y in (1, 0)])
        after = one._log_odds(j, np.repeat(one._rows, 2 * j), flipped.astype(np.uint8))
        with_earlier, without = log_bernoulli(chain[j], after).reshape(2, j)
        name = named[label] if chain[j] else f"no {named[label]}"
        for m in range(j):
            if with_earlier[m] != without[m]:
                change = float(with_earlier[m] - without[m])
                others[one.order[m]].append((name, change))
        if one._tilted:
            absent, there = one._evidence[0, j]
            others[label].append(("evidence", float(there - absent)))
    return own, others


@singledispatch
def set_parts(one: Joint, present: LabelArray) -> tuple[list[str], FloatArray, FloatArray]:
    """Return the parts that a joint is a mixture of: names, log-weights and log p of the set."""
    del one, present
    return [], np.empty(0), np.empty(0)


@set_parts.register
def _of_mixture(one: MixtureJoint, present: LabelArray) -> tuple[list[str], FloatArray, FloatArray]:
    names = [f"component {k}" for k in range(one.n_components)]
    return names, one.log_weights[0], log_product(present[None, None], one.logits)[0, 0]


@set_parts.register
def _of_pool(one: PooledJoint, present: LabelArray) -> tuple[list[str], FloatArray, FloatArray]:
    log_probs = np.array([joint.log_prob(present[None])[0] for joint in one.joints])
    return list(one.names), one.log_weights[0], log_probs
