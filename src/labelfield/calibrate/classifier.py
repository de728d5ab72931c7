"""A classifier that knows how far its sets can be trusted."""

from dataclasses import replace

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from labelfield._gate.reading import count_rows
from labelfield._parameters import choice
from labelfield.calibrate.estimators import joint_of, sets_of, under_rules
from labelfield.calibrate.parts import pick_rows
from labelfield.calibrate.wrapper import SetConfidenceClassifier, with_confidence
from labelfield.decode import resolve

__all__ = ["CalibratedSetClassifier"]


class CalibratedSetClassifier(SetConfidenceClassifier):
    """Predicts the sets of another classifier, with the probability that each is right.

    Wraps any classifier of labelfield, any multi-label classifier of scikit-learn with
    `predict_proba`, or `PrecomputedProbabilities`. Sets and probabilities of labels stay those of
    the estimator; `predict_confidence`, `route` and `automation_curve` are added. So is
    `calibrated_joint`, whose probability of the predicted set is its confidence; `predict_joint`
    is the estimator's own and may give that set another one.

    Parameters
    ----------
    estimator : classifier
    calibrator : str or SetCalibrator, default="auto"
        "auto", "boosted", "identity", "isotonic", "sigmoid" or "tree". "auto" compares by
        cross-validation and keeps a simple one where data are few; `calibrator_.reason_` says why.
    cv : int, splitter, list of (train, test), float or "prefit", default=5
        Folds: every fold is predicted by a clone fitted to the others, and the estimator refitted
        to all rows. For groups that must stay together give
        `list(MultilabelStratifiedGroupKFold().split(X, Y, groups))`. A share in (0, 1): the
        estimator learns from the rest and the share calibrates. "prefit": the estimator is fitted
        already and all rows of `fit` calibrate.
    label_calibration : {"auto", "isotonic"} or None, default="auto"
        Isotonic curves per label, fitted to other folds, before the score of a set is computed;
        for estimators with independent labels only. "auto": if they lower the square error.
    target : {"exact", "f1"}, default="exact"
        Whether confidence means the probability of the exact set or the expected F1.
    extra_features : callable, optional
        `extra_features(X, sets)` with sets (n, k, L) returns columns (n, k, m) that describe the
        sets to the calibrator, beside score, cardinality, prior and encoding.
    noise : NoiseRates, optional
        Rates of mistakes in `y`, for all rows or each.
    decoder : str or Decoder, optional
        Decide by this instead of the estimator's own `predict`.
    rules : LabelRules, optional
        Rules between the labels, for an estimator that knows none: probabilities are those given
        the rules, and a set that breaks one is replaced by the most probable set that does not.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.
    promise : "auto", float, int or None, default="auto"
        The rows that `route` and `predict_alternatives` rest on. A share in (0, 1): so many rows,
        drawn at random, are kept from the fit, and promises are exact. A number of folds: all rows
        are used for the fit, and promises are approximate. "auto": a fifth where there are 1000
        rows without NaN and `cv` lists no folds of all rows, else 3 folds. None: no promises,
        which saves time.
    random_state : int, Generator or None, default=0

    Attributes
    ----------
    estimator_ : classifier
    calibrator_ : SetCalibrator
    reviewed_rows_ : ReviewedRows or None
        Rows that promises rest on: confidences, predicted and true sets.

    Examples
    --------
    >>> from labelfield import BinaryRelevance, CalibratedSetClassifier
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=300, n_labels=3, random_state=0)
    >>> model = CalibratedSetClassifier(BinaryRelevance()).fit(data.X, data.Y)
    >>> model.predict_confidence(data.X[:4]).shape
    (4,)
    >>> model.route(data.X, accuracy=0.4).accept.shape
    (300,)
    """

    _parameter_constraints = SetConfidenceClassifier._parameter_constraints | {
        "target": [choice("exact", "f1")]
    }

    def __init__(
        self,
        estimator,
        *,
        calibrator="auto",
        cv=5,
        label_calibration="auto",
        target="exact",
        extra_features=None,
        noise=None,
        decoder=None,
        rules=None,
        on_violation="error",
        promise="auto",
        random_state=0,
    ):
        self.estimator = estimator
        self.calibrator = calibrator
        self.cv = cv
        self.label_calibration = label_calibration
        self.target = target
        self.extra_features = extra_features
        self.noise = noise
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation
        self.promise = promise
        self.random_state = random_state

    def predict(self, X, decoder=None):
        """Return the estimator's own set of each row, or the one of another decoder.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        decoder : str or Decoder, optional

        Returns
        -------
        Y : array or CSR matrix of shape (n, L), as the training target was; (n,) for a 1-d one
        """
        check_is_fitted(self)
        if decoder is not None or self._fitted_decoder is not None:
            return super().predict(X, decoder)
        X = self._enter_new(X)
        sets = sets_of(self.estimator_, X)
        if self.rules_ is not None and not self.rules_.keeps(sets).all():
            _, sets = under_rules(self._joint(X), sets, self.rules_)
        return self._like_target(sets)

    def calibrated_joint(self, X):
        """Return the distribution that gives each predicted set its confidence as probability.

        All other sets share the rest as the estimator says. Confidences are kept 1e-6 away from 0
        and 1. Where a confidence is low, the joint's own most probable set may be another one.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)

        Returns
        -------
        joint : CandidateJoint

        Examples
        --------
        >>> import numpy as np
        >>> from labelfield import BinaryRelevance, CalibratedSetClassifier
        >>> from labelfield.datasets import make_multilabel
        >>> data = make_multilabel(n_samples=200, n_labels=3, random_state=0)
        >>> model = CalibratedSetClassifier(BinaryRelevance(), cv=3).fit(data.X, data.Y)
        >>> log_prob = model.calibrated_joint(data.X).log_prob(model.predict(data.X))
        >>> bool(np.allclose(np.exp(log_prob), model.predict_confidence(data.X), atol=1e-5))
        True
        """
        check_is_fitted(self)
        if self.target != "exact":
            raise ValueError(
                f"calibrated_joint needs probabilities of sets; with target={self.target!r} "
                "confidence is another thing. Fit with target='exact'."
            )
        X = self._enter_new(X)
        sets, _ = self._read_sets(self.predict(X), count_rows(X), "sets")
        joint, sets = self._calibrated_joint(X), sets[:, None]
        return with_confidence(joint, sets, self._confidence(X, joint, sets))

    def _joint(self, X):
        return joint_of(self.estimator_, X, len(self.label_names_))

    def _state(self, joint, sets, confidence):
        return joint if self.target != "exact" else super()._state(joint, sets, confidence)

    def _learn_decision(self, X, Y, parts):
        if self.decoder is None:
            self._fitted_decoder = None
            return parts
        decoder = self._fitted_decoder = resolve(self.decoder)
        if not decoder.needs_fit:
            return [self._decided(part, decoder) for part in parts]
        largest = int(np.nansum(Y, axis=1).max())
        evidence = [decoder.evidence(part.joint, largest) for part in parts]
        self._fitted_decoder = _learn_from(decoder, evidence, parts, Y)
        if len(parts) < 2:
            raise ValueError(
                f"decoder={self.decoder!r} learns, and is calibrated on rows that it has not seen: "
                "give rows without NaN in at least two folds."
            )
        decided = []
        for k, part in enumerate(parts):
            others = evidence[:k] + evidence[k + 1 :], parts[:k] + parts[k + 1 :]
            decided.append(self._decided(part, _learn_from(decoder, *others, Y)))
        return decided

    def _decided(self, part, decoder):
        """Return the part with the sets of a decoder as its own."""
        sets = decoder.decode(part.joint, empty_seen=self.empty_seen_)
        return replace(part, own_sets=sets)

    def _candidates(self, joint, part):
        return part.own_sets[:, None]


def _learn_from(decoder, evidence, parts, Y):
    return clone(decoder).fit(np.concatenate(evidence), Y[pick_rows(parts)])
