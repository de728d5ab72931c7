"""The set of highest expected F1 among those that keep rules."""

import numpy as np

from labelfield import kernels
from labelfield._exceptions import IntractableError
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.joints import IsingJoint, Joint
from labelfield.joints._parts.rules import require_size
from labelfield.joints._parts.sizes import fits
from labelfield.joints.factor_graph import FactorGraph

__all__ = ["best_f1_given_rules"]

N_CANDIDATES = 64
PROVEN = 1e-9
MAX_WORK = 2.0**31  # table entries, over all rows and sizes, up to which every size is searched


def best_f1_given_rules(
    joint: Joint, by_size: FloatArray, empty: FloatArray, smallest: int, largest: int
) -> tuple[LabelArray, BoolArray]:
    """Return the best sets (n, L) and which are proven to be (n,).

    by_size (n, L, S) is P(y_l = 1, |y| = s), empty (n,) is P(|y| = 0). The best sets without rules
    bound the expected F1 for every size of the answer. Candidates are the most probable sets; a
    size that could beat them is searched by a junction tree of the rules and a counter.
    """
    rules = joint.rules
    assert rules is not None
    require_size(rules, smallest, largest)
    sets, _ = joint.top_k(N_CANDIDATES, allow_empty=smallest == 0)
    free, _ = kernels.sets.gfm.maximize_f1(by_size, empty, min_size=smallest, max_size=largest)
    sets = np.concatenate([sets, free[:, None]], axis=1)
    worth = _expected_f1(sets, by_size, empty)
    worth[~(rules.keeps(sets) & fits(sets, smallest, largest))] = -np.inf
    best = sets[np.arange(len(sets)), worth.argmax(axis=1)]
    value, proven = worth.max(axis=1), np.ones(len(sets), dtype=bool)
    for size in range(max(smallest, 1), largest + 1):
        gains = by_size @ (2.0 / (size + np.arange(1, by_size.shape[2] + 1)))
        bound = np.sort(gains, axis=1)[:, -size:].sum(axis=1)
        rows = np.flatnonzero(bound > value + PROVEN)
        sized = rules.between(size, size)
        if not len(rows) or not sized.satisfiable:
            continue
        found = _best_of_size(gains[rows], FactorGraph.of_rules(sized))
        if found is None:
            proven[rows] = False
            continue
        gain = (found * gains[rows]).sum(axis=1)
        better = gain > value[rows]
        best[rows[better]], value[rows[better]] = found[better], gain[better]
    return best, proven


def _best_of_size(gains: FloatArray, graph: FactorGraph) -> LabelArray | None:
    """Return the sets of largest summed gain on a graph that fixes their size, None if too dear."""
    if len(gains) * graph.n_cells > MAX_WORK:
        return None
    try:
        return IsingJoint(gains, graph, np.zeros(0)).mode()
    except IntractableError:
        return None


def _expected_f1(sets: LabelArray, by_size: FloatArray, empty: FloatArray) -> FloatArray:
    """Return the expected F1 of sets (n, k, L): (n, k)."""
    sizes = sets.sum(axis=2, dtype=np.intp)
    hits = sets.astype(float) @ by_size
    total = sizes[..., None] + np.arange(1, hits.shape[2] + 1)
    worth: FloatArray = (2.0 * hits / total).sum(axis=2)
    return np.where(sizes == 0, empty[:, None], worth)
