"""What classifiers with set confidence share: cross-fitting, confidence, routing."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from numbers import Integral, Real

import numpy as np

from labelfield._gate.reading import count_rows, take_rows
from labelfield._gate.validation import as_generator
from labelfield._parameters import FOLDS, choice, declare, instance, rate, whole
from labelfield.base import JointClassifier
from labelfield.base.weighted_blocks import takes_blocks
from labelfield.calibrate.calibrators.auto import AutoSetCalibrator, resolve_calibrator
from labelfield.calibrate.calibrators.base import SetCalibrator, cross_predict, deal_groups
from labelfield.calibrate.confidence import SetConfidenceMixin
from labelfield.calibrate.describe import SetPrior, describe_sets
from labelfield.calibrate.estimators import joint_of
from labelfield.calibrate.labels import LabelCurves
from labelfield.calibrate.noise import NoiseRates
from labelfield.calibrate.parts import complete_parts, fit_parts, pick_rows, rows_of_folds
from labelfield.calibrate.rows import as_calibration_rows
from labelfield.joints import CandidateJoint
from labelfield.metrics import f1_score
from labelfield.promise import ReviewedRows

__all__ = ["SetConfidenceClassifier", "with_confidence"]

HELD_OUT = 0.2  # share of the rows for promises where there are
ENOUGH = 1000  # complete rows
ROUTE_FOLDS = 3
CLIP = 1e-6  # calibrators answer 0 and 1 where they saw no hit or no failure: that is no proof


@dataclass(frozen=True, eq=False)
class Described:
    """What the calibrator saw: descriptions U of sets, targets, rows; parts and their joints."""

    U: np.ndarray
    targets: np.ndarray
    row: np.ndarray
    parts: list
    joints: list

    def best(self, confidence):
        """Return the number in U of each row's set of highest confidence, of the higher score."""
        order = np.lexsort((-self.U[:, 0], -confidence, self.row))
        return order[np.append(True, np.diff(self.row[order]) != 0)]

    def by_part(self):
        """Walk over the parts: their rows, joint and slice of U."""
        start, n_sets = 0, len(self.U) // len(pick_rows(self.parts))
        for part, joint in zip(self.parts, self.joints):
            end = start + n_sets * len(part.rows)
            yield part.rows, joint, slice(start, end)
            start = end


class SetConfidenceClassifier(SetConfidenceMixin, JointClassifier):
    """Base of wrappers that state how likely a predicted set is right.

    A subclass says which sets of a part are described to the calibrator (`_candidates`); the one
    of highest confidence, of the higher score among equals, is the prediction.
    """

    @abstractmethod
    def _candidates(self, joint, part):
        """Return the sets (n, k, L) to learn from, given the calibrated joint and the part."""

    @abstractmethod
    def _learn_decision(self, X, Y, parts):
        """Set `_fitted_decoder`, None where `predict` needs none; return the parts.

        The `own_sets` of a part are what a decoder that has not seen its rows decides.
        """

    _accepts_unknown = True
    _takes_blocks = _hands_blocks_on = True
    _parameter_constraints = declare(
        "on_violation",
        "random_state",
        "rules",
        estimator=[instance("fit", "predict")],
        calibrator=[str, SetCalibrator],
        cv=[choice("prefit"), rate, *FOLDS],
        label_calibration=[choice("auto", "isotonic"), None],
        extra_features=[callable, None],
        noise=[NoiseRates, None],
        decoder=[str, instance("decode"), None],
        promise=[choice("auto"), rate, whole(2), None],
    )

    def _blocks_need(self):
        if self.extra_features is not None:
            return "leave out extra_features"
        if self.cv == "prefit" or takes_blocks(self.estimator):
            return None
        return (
            f"wrap BinaryRelevance, LabelPowerset or another model that does: {self.estimator!r} "
            "does not. Fit it to rows in memory, then calibrate with cv='prefit'"
        )

    def _fit(self, X, Y):
        X, Y = as_calibration_rows(X, Y)
        if self.noise is not None:
            self._check_noise(len(Y))
        self.reviewed_rows_ = None
        held = self._held_out(Y)
        if not len(held):
            described = self._learn(X, Y, np.arange(len(Y)))
            if self.promise is not None and len(np.unique(described.row)) > 1:
                self.reviewed_rows_ = self._out_of_fold(described, Y)
            X.finish()
            return
        kept = np.setdiff1d(np.arange(len(Y)), held)
        self.empty_seen_ = bool((Y[kept] == 0).all(axis=1).any())
        described = self._learn(X.take(kept), Y[kept], kept)
        confidence = self.calibrator_.predict(described.U)
        truth = Y[held]
        reviewed = ((piece, truth[here]) for here, piece in X.take(held).pieces())
        self._rest_on(reviewed, confidence[described.best(confidence)])
        X.finish()

    def _held_out(self, Y):
        """Return the rows, drawn at random, that promises rest on; none where folds do."""
        complete = np.flatnonzero(~np.isnan(Y).any(axis=1))
        share = self.promise if isinstance(self.promise, Real) else HELD_OUT
        dealt = isinstance(self.cv, list) or hasattr(self.cv, "split")  # folds of all rows
        if self.promise == "auto" and (dealt or len(complete) < ENOUGH):
            share = 0
        if self.promise is None or isinstance(self.promise, Integral):
            share = 0
        rng = as_generator(self.random_state)
        return np.sort(rng.permutation(complete)[: round(share * len(complete))])

    def _learn(self, X, Y, numbers):
        """Learn from rows that `noise` knows by their numbers; return what the calibrator saw."""
        self.estimator_, parts = fit_parts(
            self.estimator, X, Y, self.cv, self.random_state, self.rules_
        )
        parts = complete_parts(parts, Y)
        self.prior_ = SetPrior(Y)
        self.label_curves_, joints = self._calibrate_labels(parts, Y)
        parts = self._learn_decision(X.X, Y, parts)
        U, v, row = self._describe_parts(parts, joints, X, Y)
        self.calibrator_ = resolve_calibrator(self.calibrator)
        noise = None if self.noise is None else self.noise.take(numbers[row])
        self.calibrator_.fit(U, v, noise=noise, groups=row)
        return Described(U, v if noise is None else noise.targets(v), row, parts, joints)

    def _learn_decoder(self, X, Y, cv=5, sample_weight=None):
        """Do nothing: `_learn_decision` has taken the decision that confidence is about."""

    def confidence_of(self, X, sets):
        X = self._enter_new(X)
        sets = self._read_known_sets(sets, count_rows(X))
        confidence = np.empty(len(sets))
        for rows in self._row_blocks(X):
            part = take_rows(X, rows)
            joint = self._calibrated_joint(part)
            confidence[rows] = self._confidence(part, joint, sets[rows, None])[:, 0]
        return confidence

    confidence_of.__doc__ = SetConfidenceMixin.confidence_of.__doc__

    def _answer(self, X):
        predicted = self.predict(X)
        sets, _ = self._read_sets(predicted, predicted.shape[0], "sets")
        return sets, self.confidence_of(X, predicted), self.predict_joint(X)

    def acceptance(
        self, accuracy=0.95, confidence_level=0.95, *, measure="exact", label=None, costs=None
    ):
        options = {"measure": measure, "label": label, "costs": costs}
        if self.noise is None:
            return super().acceptance(accuracy, confidence_level, **options)
        if not self.noise.uniform or costs is not None or measure != "exact":
            raise ValueError(
                "noise of single rows, or a promise other than of right sets, needs clean rows: "
                "give them to promise_on of a model without noise."
            )
        hidden, invented = self.noise.miss, self.noise.false_hit
        kept = 1.0 - hidden - invented  # noisy hits show kept * accuracy + invented
        found = super().acceptance(kept * accuracy + invented, confidence_level)

        def clean(one):
            rates = (max(rate - invented, 0.0) / kept for rate in (one.accuracy, one.rate))
            return replace(one, **dict(zip(("accuracy", "rate"), rates)))

        best = None if found.best is None else clean(found.best)
        return replace(clean(found), best=best)

    acceptance.__doc__ = SetConfidenceMixin.acceptance.__doc__

    def _hits(self, Y, sets):
        if self.target == "exact":
            return super()._hits(Y, sets)
        columns = [f1_score(Y, sets[:, k], average="rows") for k in range(sets.shape[1])]
        return np.stack(columns, axis=1)

    def _check_noise(self, n_rows):
        if self.target != "exact":
            raise ValueError("noise gives rates of right and wrong sets: use target='exact'.")
        self.noise.targets(np.zeros(n_rows))  # raises if its rows are others

    def _calibrate_labels(self, parts, Y):
        """Return the curves for new rows (or None) and the joint of every part."""
        raw = [part.joint for part in parts]
        if self.label_calibration is None or not all(part.independent for part in parts):
            return None, raw
        folds = rows_of_folds(parts)
        if len(folds) < 2:
            raise ValueError(
                "label_calibration needs rows without NaN in at least two folds; give more such "
                "rows or set label_calibration=None."
            )
        rows = pick_rows(parts)
        P = np.empty(Y.shape)
        for part in parts:
            P[part.rows] = part.joint.marginals()
        curves = {}
        for fold, own in folds.items():
            others = np.setdiff1d(rows, own)
            curves[fold] = LabelCurves(P[others], Y[others])
        joints = [curves[part.fold].apply(part.joint) for part in parts]
        if self.label_calibration == "auto" and not _curves_help(joints, parts, P, Y):
            return None, raw
        return LabelCurves(P[rows], Y[rows]), joints

    def _describe_parts(self, parts, joints, X, Y):
        """Return descriptions U, hits v and row numbers of all candidates of all parts."""
        described, hits, row = [], [], []
        # the set of a row itself would leak
        priors = {
            fold: SetPrior(np.delete(Y, own, axis=0)) for fold, own in rows_of_folds(parts).items()
        }
        for part, joint in zip(parts, joints):
            sets = self._candidates(joint, part)
            given = None if self.extra_features is None else X.take(part.rows).X
            described.append(self._describe(given, joint, sets, priors[part.fold]))
            hits.append(self._hits(Y[part.rows], sets).ravel())
            row.append(np.repeat(part.rows, sets.shape[1]))
        return np.concatenate(described), np.concatenate(hits), np.concatenate(row)

    def _describe(self, X, joint, sets, prior):
        extra = None if self.extra_features is None else self.extra_features(X, sets)
        return describe_sets(joint, sets, prior, extra)

    def _confidence(self, X, joint, sets):
        """Return confidences (n, k) of sets (n, k, L)."""
        confidence = np.empty(sets.shape[:2])
        for rows, block in joint.blocks(24.0 * sets.shape[1] * (sets.shape[2] + 3)):
            U = self._describe(take_rows(X, rows), block, sets[rows], self.prior_)
            confidence[rows] = self.calibrator_.predict(U).reshape(-1, sets.shape[1])
        return confidence

    def _bytes_per_row(self):
        own = super()._bytes_per_row()
        return own + getattr(self.estimator_, "_bytes_per_row", lambda: own)()

    def _calibrated_joint(self, X):
        joint = joint_of(self.estimator_, X, len(self.label_names_))
        joint = joint if self.rules_ is None else joint.given_rules(self.rules_)
        return joint if self.label_curves_ is None else self.label_curves_.apply(joint)

    def _out_of_fold(self, described, Y):
        """Return what out-of-fold calibrators say of the predicted set of every row."""
        U, row, L = described.U, described.row, Y.shape[1]
        calibrator = self.calibrator_
        if isinstance(calibrator, AutoSetCalibrator):
            calibrator = calibrator.chosen_
        folds = self.promise if isinstance(self.promise, Integral) else ROUTE_FOLDS
        part = deal_groups(row, folds, self.random_state)
        confidence = cross_predict(calibrator, U, described.targets, np.ones(len(U)), row, part)
        log_prob = np.empty(len(Y))
        for rows, joint, of_part in described.by_part():
            sets = U[of_part, 3 : 3 + L].reshape(len(rows), -1, L).astype(np.uint8)
            stated = self._state(joint, sets, confidence[of_part].reshape(len(rows), -1))
            log_prob[rows] = stated.log_prob(Y[rows].astype(np.uint8))
        best = described.best(confidence)
        truth, sure = Y[row[best]].astype(np.uint8), confidence[best]
        log_prob = self._possible(log_prob[row[best]], truth)
        return ReviewedRows.of(sure, U[best, 3 : 3 + L], truth, log_prob, others=sure, exact=False)

    def _state(self, joint, sets, confidence):
        """Return the joint in which candidates (n, k, L) have their confidences (n, k)."""
        return with_confidence(joint, sets, confidence)


def with_confidence(joint, sets, confidence):
    """Return the joint with confidences (n, k) as probabilities of the candidates sets (n, k, L).

    The highest confidence of a row stays as it is, up to CLIP; the others share what it leaves.
    """
    n_sets = confidence.shape[1]
    p = np.clip(confidence, CLIP, 1.0 - (n_sets + 1) * CLIP)
    best = np.arange(n_sets) == p.argmax(axis=1)[:, None]
    left = 1.0 - CLIP - p.max(axis=1, keepdims=True)
    others = np.where(best, 0.0, p)
    scale = np.minimum(1.0, left / np.maximum(others.sum(axis=1, keepdims=True), CLIP))
    return CandidateJoint(joint, sets, np.where(best, p, others * scale))


def _curves_help(joints, parts, P, Y):
    """Return whether curves of the other parts lower the square error by a standard error."""
    gain = []
    for joint, part in zip(joints, parts):
        before = (P[part.rows] - Y[part.rows]) ** 2
        after = (joint.marginals() - Y[part.rows]) ** 2
        gain.append((before - after).mean(axis=1))
    gain = np.concatenate(gain)
    return gain.mean() > gain.std() / np.sqrt(len(gain))
