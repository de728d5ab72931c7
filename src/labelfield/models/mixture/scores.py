"""What early stopping compares: how good the decisions about held-out rows are."""

from functools import partial

import numpy as np

from labelfield._gate.validation import split_known
from labelfield._namespaces import to_host
from labelfield.metrics import f1_score, hamming_loss, jaccard_score, subset_accuracy

__all__ = ["score_joint"]


def hamming_accuracy(Y, sets):
    """Return the share of labels that are right in every row: (n,)."""
    return 1.0 - hamming_loss(Y, sets, average="rows")


SET_METRICS = {
    "subset_accuracy": partial(subset_accuracy, average="rows"),
    "f1": partial(f1_score, average="rows"),
    "jaccard": partial(jaccard_score, average="rows"),
    "hamming_accuracy": hamming_accuracy,
}


def score_joint(joint, Y, *, decoder, empty_seen):
    """Return how good a joint of rows is for the decoder's metric, 0 where Y says nothing: (n,).

    By the log-likelihood of the known labels where the decoder learns itself, or has no metric of
    rows. Y (n, L) is 0, 1 or NaN (unknown).
    """
    measure = None if decoder.needs_fit else SET_METRICS.get(decoder.metric)
    if measure is not None:
        return np.nan_to_num(measure(Y, to_host(decoder.decode(joint, empty_seen=empty_seen))))
    labels, known = split_known(Y)
    if known is None:
        return to_host(joint.log_prob(joint.place.asarray(labels)))
    return to_host(joint.log_evidence(np.where(known, labels, np.nan)))
