"""What weights that depend on x would add to LabelSetClassifier, inside a training part only.

    python -m lab.studies.defaults.pool_gate FOLDER... [--rows N] [--standard]

The training part is that of `lab.studies.defaults.pool`, or the training file. The base learners of
the budget "balanced" and the members on top are fitted once, out of fold. A gate gives member m the
weight w_m(x) = softmax_m(a_m + v_m . f(x)), a and v by the likelihood of held-out rows less a
penalty alpha / 2 |v|^2, so that a large alpha leaves the plain weights. The gate of a fold is
learned from the rows of the other folds, and so is alpha, on folds of these; no gate at all unless
one is better by more than a standard error. Features f(x) are few:

- "doubts": how sure every member is of its best set, the size it expects, and how probable the
  product of the labels finds the sets that were seen;
- "best sets": the first of these;
- "sureness": how sure the plain pool is of its best set, and the last of these;
- "components": the leading principal components of X;
- "both": doubts and components.
"""

import sys
import time

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from lab.arena.standings import calibration_errors
from lab.arena.tuning import calibration_bins
from lab.studies.defaults.pool import compare_folders, learned_bases, show
from labelfield.auto import layers
from labelfield.auto.evidence import in_order
from labelfield.auto.judging import measured
from labelfield.auto.pooling import held_out_sureness
from labelfield.joints import PooledJoint
from labelfield.models.stacking.gate import chosen_gate
from labelfield.models.stacking.weights import held_out_log_prob, likelihood_weights

N_INNER = 4
N_COMPONENTS = 5


def doubts(joints, data):
    """Return how sure members are of their best sets, and the sizes they expect: (n, m), (n, m)."""
    sure, sizes = [], []
    for parts in joints.values():
        best = [joint.top_k(1)[1][:, 0] for joint in parts]
        size = [joint.marginals().sum(axis=1) for joint in parts]
        sure.append(in_order(data.folds, best))
        sizes.append(in_order(data.folds, size))
    return np.stack(sure, axis=1), np.stack(sizes, axis=1)


def plain_pools(joints, log_prob, data):
    """Return the pools of the folds, their weights alike for all rows."""
    return [
        PooledJoint([parts[k] for parts in joints.values()], likelihood_weights(log_prob[train]))
        for k, (train, _) in enumerate(data.folds)
    ]


def gated_pools(plain, F, log_prob, data):
    """Return the pools of the folds with a gate on features F, where one pays; its strengths."""
    pools, alphas = [], []
    for pool, (train, test) in zip(plain, data.folds):
        inner = KFold(N_INNER, shuffle=True, random_state=2).split(train)
        gate = chosen_gate(F[train], log_prob[train], list(inner), least_gain=0.0)
        if gate is not None:
            pool = PooledJoint(pool.joints, gate.weights(F[test]))
        pools.append(pool)
        alphas.append("none" if gate is None else f"{gate.alpha:g}")
    return pools, ", ".join(alphas)


def components(X):
    """Return the leading principal components of the rows, found without the labels."""
    size = min(N_COMPONENTS, X.shape[1] - 1)
    if sp.issparse(X):
        return TruncatedSVD(size, random_state=0).fit_transform(X)
    return PCA(size, random_state=0).fit_transform(StandardScaler().fit_transform(X))


def compare(of_data, X, Y):
    """Show the pool with plain weights and with gates."""
    data, evidence, _ = learned_bases(X, Y)
    joints = layers.Layers().fit(evidence, data)
    log_prob = held_out_log_prob(joints, data.Y, data.folds)
    plain = plain_pools(joints, log_prob, data)
    describe(of_data, "plain weights", plain, data, 0.0)
    (best, sizes), parts = doubts(joints, data), components(X)
    sure = held_out_sureness(plain, joints["independent"], evidence, data)
    told = np.hstack([best, sizes, sure[:, 1:]])
    features = {"doubts": told, "best sets": best, "sureness": sure, "components": parts}
    for name, F in (features | {"both": np.hstack([told, parts])}).items():
        started = time.process_time()
        pools, alphas = gated_pools(plain, F, log_prob, data)
        words = f"gate on {name} (alpha {alphas})"
        describe(of_data, words, pools, data, time.process_time() - started)


def describe(of_data, name, pools, data, seconds):
    """Print the measures of pools, the calibration error first."""
    error, by_chance = confidence_errors(pools, data)
    words = f"{name}: ECE {error:.3f} (by chance {by_chance:.3f})"
    show(of_data, words, *measured(pools, data).values(), seconds)


def confidence_errors(pools, data):
    """Return the calibration error of the pools' best sets, and what chance alone would show."""
    parts = []
    empty_seen = bool((data.Y == 0).all(axis=1).any())
    for (_, test), pool in zip(data.folds, pools):
        sets, log_prob = pool.top_k(1, allow_empty=empty_seen)
        right = (sets[:, 0] == data.Y[test]).all(axis=1)
        parts.append(calibration_bins(np.exp(log_prob[:, 0]), right))
    return calibration_errors(parts)


if __name__ == "__main__":
    compare_folders(__doc__, sys.argv[1:], compare)
