"""How well all parts do on rows they have not seen."""

import numpy as np

from labelfield.auto.leaderboard import Leaderboard
from labelfield.decode import resolve
from labelfield.joints import IndependentJoint
from labelfield.metrics import f1_score, hamming_loss, subset_accuracy

__all__ = ["judge", "measured"]

LEAST_LOG_PROB = -20.0  # of a row in the leaderboard, so that impossible sets can be averaged


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
