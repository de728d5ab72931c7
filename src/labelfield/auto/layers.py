"""The stack of log-odds and the joint distributions on top of the base learners."""

import time
import warnings

import numpy as np

from labelfield.auto.evidence import in_order
from labelfield.auto.members import (
    MAX_ENUMERATED,
    PRODUCT,
    FieldMember,
    MixtureMember,
    ProductMember,
    SetLogitMember,
    SetMember,
)
from labelfield.learners import LogOddsStack
from labelfield.models.stacking.weights import likelihood_weights, mean_log_likelihood

__all__ = ["FAILURES", "Layers", "gain_of"]

FAILURES = (ValueError, ArithmeticError, np.linalg.LinAlgError)
LEAST_SCORE = -40.0  # a model that gives a set no probability says no more than this against it
MIN_ROWS = 10  # of a field or a mixture
LEAST_GAIN = 0.02  # of a mixture: less is not worth its time
MAX_MIXTURE_CELLS = 10_000_000  # rows x labels
MAX_FIELD_CELLS = 30_000_000  # rows x sets of a field on the sets seen in training
MAX_PRODUCT_CELLS = 1_000_000  # rows x sets that every base scores by the product of its labels


class Layers:
    """Learns from what base learners say of rows they have not seen.

    Parameters
    ----------
    thorough : bool
        Whether to try a field of label pairs and a mixture, which take most of the time.
    least_gain : float
        In the mean log-likelihood of the first fold; a mixture that gains less is left out.

    Attributes
    ----------
    members : dict of name -> Member, fitted to all rows
    seconds : dict of name -> CPU seconds
    """

    def __init__(self, thorough=True, least_gain=LEAST_GAIN):
        self.thorough = thorough
        self.least_gain = least_gain

    def fit(self, evidence, data):
        """Fit the stack and the members; return each member's joints of the folds' test rows.

        What the stack and the field say of rows they have not seen is added to the evidence. A
        member that fails is left out with a warning; so are those not finished at an interrupt.
        """
        self.bases = list(evidence.log_odds)
        self._fit_stack(evidence, data)
        self.members, self.seconds, joints = {}, {}, {}
        try:
            self._add_members(joints, evidence, data)
        except KeyboardInterrupt:
            if not joints:
                raise
            _warn(f"Interrupted: the pool is made of {', '.join(joints)} only.")
        return joints

    def _add_members(self, joints, evidence, data):
        self._add(ProductMember("independent", "stack"), joints, evidence, data)
        most_rows = MAX_FIELD_CELLS // len(np.unique(data.filled, axis=0))
        thorough = self.thorough and len(data.Y) >= MIN_ROWS
        if thorough and len(data.Y) <= most_rows:
            self._add(FieldMember("field", "stack"), joints, evidence, data)
        if len(data.listed.sets):  # some rows are known completely
            self._add_listed(joints, evidence, data)
        many_labels = data.Y.shape[1] > MAX_ENUMERATED  # of few, a field of all sets knows enough
        if thorough and many_labels and data.Y.size <= MAX_MIXTURE_CELLS:
            mixture = MixtureMember("mixture", "stack")
            self._add(mixture, joints, evidence, data, least_gain=self.least_gain)

    def _add_listed(self, joints, evidence, data):
        """Add the members that know the sets seen in training only."""
        if "field" in self.members:
            scores = [_log_prob_of(data.listed.sets, joint) for joint in joints["field"]]
            evidence.of_sets["field"] = in_order(data.folds, scores)
        given = list(evidence.of_sets)
        few = len(data.Y) * len(data.listed.sets) <= MAX_PRODUCT_CELLS
        products = [PRODUCT + name for name in ("stack", *(self.bases if few else ()))]
        self._add(SetMember("sets", (*products, "prior", *given)), joints, evidence, data)
        if not few:  # rows enough for parameters of every label
            self._add(SetLogitMember("set logit", "stack"), joints, evidence, data)
        for name in given:
            if name != "field":
                self._add(SetMember(f"{name} sets", (name,)), joints, evidence, data)

    def complete(self, evidence):
        """Add what the stack and the field say of new rows to the evidence."""
        log_odds = [evidence.log_odds[name] for name in self.bases]
        evidence.log_odds["stack"] = self.stack.transform(log_odds)
        if "field" in self.members and "sets" in self.members:
            joint = self.members["field"].joint(evidence)
            evidence.of_sets["field"] = _log_prob_of(self.members["sets"].sets, joint)
        return evidence

    def _fit_stack(self, evidence, data):
        labels, known = np.nan_to_num(data.Y), ~np.isnan(data.Y)

        def fit(rows):
            log_odds = [evidence.log_odds[name][rows] for name in self.bases]
            return LogOddsStack().fit(log_odds, labels[rows], known[rows], data.weight_of(rows))

        parts = []
        for train, test in data.folds:
            log_odds = [evidence.log_odds[name][test] for name in self.bases]
            parts.append(fit(train).transform(log_odds))
        self.stack = fit(np.arange(len(data.Y)))
        evidence.log_odds["stack"] = in_order(data.folds, parts)

    def _add(self, member, joints, evidence, data, least_gain=-np.inf):
        """Fit a member to every fold's training rows for its joints of the test rows, then to all.

        One that fails is left out, and one that gains less than `least_gain` on the first fold.
        """
        started = time.process_time()
        try:
            held_out = []
            for train, test in data.folds:
                member.fit(evidence.take(train), data, train)
                held_out.append(member.joint(evidence.take(test)))
                judged = len(held_out) == 1 and least_gain > -np.inf
                if judged and gain_of(held_out[0], joints, data) < least_gain:
                    return
            fitted = member.fit(evidence, data, np.arange(len(data.Y)))
        except FAILURES as error:
            _warn(f"Member {member.name!r} is left out, it failed: {error}")
            return
        joints[member.name], self.members[member.name] = held_out, fitted
        self.seconds[member.name] = time.process_time() - started


def gain_of(joint, others, data):
    """Return what one more joint of the first fold's test rows adds to the pool's log-likelihood.

    The mean of the rows; weights are the best for them, with it and without. `others` is a dict of
    member -> joints, one per fold.
    """
    test = data.folds[0][1]
    labels = data.Y[test].astype(np.float64)
    own = [parts[0].log_evidence(labels) for parts in others.values()]
    both = np.stack([*own, joint.log_evidence(labels)], axis=1)
    of_rows = data.weight_of(test)
    without, with_it = (
        mean_log_likelihood(table, likelihood_weights(table, of_rows), of_rows)
        for table in (both[:, :-1], both)
    )
    return with_it - without


def _warn(words):
    warnings.warn(words, RuntimeWarning, stacklevel=4)


def _log_prob_of(sets, joint):
    """Return the log-probabilities of the sets (S, L) in every row, cut off below: (n, S)."""
    log_prob = joint.log_scores_of(sets) - joint.log_normalizer()[:, None]
    return np.maximum(log_prob, LEAST_SCORE).astype(np.float32)
