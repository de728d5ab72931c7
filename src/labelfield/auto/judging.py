"""Weights of the members, and how well all parts do on rows they have not seen."""

import numpy as np

from labelfield.auto.leaderboard import Leaderboard
from labelfield.decode import resolve
from labelfield.joints import IndependentJoint, PooledJoint
from labelfield.metrics import f1_score, hamming_loss, subset_accuracy
from labelfield.models.stacking.weights import held_out_log_prob, likelihood_weights

__all__ = ["held_out_pools", "judge", "measured"]

LEAST_LOG_PROB = -20.0  # of a row in the leaderboard, so that impossible sets can be averaged


def held_out_pools(joints, data):
    """Return the weights of the members, and the pools of the folds' test rows.

    The weights maximise the likelihood of all held-out rows; those of a fold's pool, of the rows
    of the other folds.

    Parameters
    ----------
    joints : dict of member -> list of joints, one per fold
    data : Training

    Returns
    -------
    weights : dict of member -> float
    pools : list of PooledJoint, one per fold
    """
    names = list(joints)
    log_prob = held_out_log_prob(joints, data.Y, data.folds)
    pools = []
    for number, (train, _) in enumerate(data.folds):
        weights = likelihood_weights(log_prob[train], data.weight_of(train))
        pools.append(PooledJoint([joints[name][number] for name in names], weights, names=names))
    weights = likelihood_weights(log_prob, data.sample_weight)
    return dict(zip(names, weights.tolist())), pools


def judge(evidence, joints, pools, weights, data, seconds):
    """Return the leaderboard: the pool first, then members and bases by their likelihood."""
    of_bases = {
        name: [IndependentJoint(log_odds[test]) for _, test in data.folds]
        for name, log_odds in evidence.log_odds.items()
        if name in seconds
    }
    rows = []
    for name, parts in [*joints.items(), *of_bases.items(), ("pool", pools)]:
        row = {"member": name, **measured(parts, data)}
        row["weight"] = 1.0 if name == "pool" else weights.get(name)
        row["seconds"] = sum(seconds.values()) if name == "pool" else seconds[name]
        rows.append(row)
    rows.sort(key=lambda row: (row["member"] != "pool", -row["log_likelihood"]))
    return Leaderboard(rows)


def measured(parts, data):
    """Return likelihood, exact match, F1 and Hamming loss of out-of-fold joints: a dictionary."""
    complete = ~np.isnan(data.Y).any(axis=1)
    empty_seen = bool((np.nan_to_num(data.Y, nan=1.0) == 0).all(axis=1).any())
    log_prob = np.empty(len(data.Y))
    answers = {name: np.zeros(data.Y.shape, dtype=np.uint8) for name in ("subset", "f1", "hamming")}
    for (_, test), joint in zip(data.folds, parts):
        log_prob[test] = joint.log_evidence(data.Y[test])
        for name, answer in answers.items():
            answer[test] = resolve(name).decode(joint, empty_seen=empty_seen)
    likelihood = {"log_likelihood": float(np.maximum(log_prob, LEAST_LOG_PROB).mean())}
    if not complete.any():
        return likelihood
    truth = data.Y[complete].astype(np.uint8)
    return likelihood | {
        "exact_match": float(subset_accuracy(truth, answers["subset"][complete])),
        "f1": float(f1_score(truth, answers["f1"][complete], average="samples")),
        "hamming": float(hamming_loss(truth, answers["hamming"][complete])),
    }
