"""Choose the set by calibrated confidence instead of by score."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelfield._gate.reading import count_rows, take_rows
from labelfield._parameters import whole
from labelfield.base import JointClassifier
from labelfield.base.parts import join_rows
from labelfield.calibrate.wrapper import SetConfidenceClassifier, with_confidence

__all__ = ["SetReranker"]


class SetReranker(SetConfidenceClassifier):
    """BR-rerank: the set of highest calibrated confidence among the most probable ones.

    The most probable sets of any joint (of independent labels, a mixture, a field) are described
    to a calibrator that also sees the number of labels, how common the set is in training and
    which labels it holds; so dependence that the estimator missed comes back in. The prediction is
    the candidate of highest confidence, of the higher score among equals.

    `predict_joint` gives the candidates their confidences as probabilities, kept 1e-6 away from 0
    and 1; what they leave over is the probability of "some other set" (`joint.other`), spread as
    the estimator says. Where the confidences of a row sum to more than one, all but the highest
    are scaled down. So `predict(X, decoder="f1")` is the F-measure maximiser fed with reranked
    candidates.

    Parameters
    ----------
    estimator : classifier
        As for `CalibratedSetClassifier`.
    n_candidates : int, default=10
        Sets per row, in training and prediction.
    calibrator : str or SetCalibrator, default="auto"
        Trees (`BoostedSetCalibrator`) can change the order of candidates; isotonic curves cannot.
    cv : int, splitter, list of (train, test), float or "prefit", default=5
        As for `CalibratedSetClassifier`.
    label_calibration : {"auto", "isotonic"} or None, default="isotonic"
    extra_features, noise, rules, on_violation, promise, random_state
        As for `CalibratedSetClassifier`.
    decoder : str or Decoder, optional
        Decide by this on `predict_joint` instead of by the highest confidence.

    Attributes
    ----------
    estimator_ : classifier
    calibrator_ : SetCalibrator

    References
    ----------
    Li, Pavlu, Aslam, Wang, Qin (2019): Learning to calibrate and rerank multi-label predictions.
    ECML PKDD.

    Examples
    --------
    >>> from labelfield import BinaryRelevance, SetReranker
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=300, n_labels=3, random_state=0)
    >>> model = SetReranker(BinaryRelevance(), n_candidates=4).fit(data.X, data.Y)
    >>> model.predict(data.X[:2]).shape
    (2, 3)
    >>> model.predict_joint(data.X[:2]).other.shape
    (2,)
    """

    target = "exact"  # the confidences of the candidates are probabilities of a joint

    _parameter_constraints = SetConfidenceClassifier._parameter_constraints | {
        "n_candidates": [whole(1)]
    }

    def __init__(
        self,
        estimator,
        *,
        n_candidates=10,
        calibrator="auto",
        cv=5,
        label_calibration="isotonic",
        extra_features=None,
        noise=None,
        decoder=None,
        rules=None,
        on_violation="error",
        promise="auto",
        random_state=0,
    ):
        self.estimator = estimator
        self.n_candidates = n_candidates
        self.calibrator = calibrator
        self.cv = cv
        self.label_calibration = label_calibration
        self.extra_features = extra_features
        self.noise = noise
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation
        self.promise = promise
        self.random_state = random_state

    def predict(self, X, decoder=None):
        """Return the candidate of highest confidence, or the best set for another decoder.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        decoder : str or Decoder, optional
            Decide on `predict_joint`, such as "f1" for the highest expected F1.

        Returns
        -------
        Y : array or CSR matrix of shape (n, L), as the training target was; (n,) for a 1-d one
        """
        check_is_fitted(self)
        if decoder is not None or self._fitted_decoder is not None:
            return super().predict(X, decoder)
        X = self._enter_new(X)
        blocks = self._row_blocks(X)
        parts = (self._like_target(self._best_ranked(take_rows(X, rows))) for rows in blocks)
        return join_rows(parts, blocks)

    def predict_expected_f1(self, X):
        """Return the expected F1 of the predicted set of each row under `predict_joint`: (n,)."""
        predicted, X = self.predict(X), self._enter_new(X)
        sets, _ = self._read_sets(predicted, count_rows(X), "sets")
        value = np.empty(len(sets))
        for part in self._row_blocks(X):
            joint = self._bound_joint(take_rows(X, part))
            for rows, block in joint.blocks(16.0 * joint.n_labels**2):
                value[part][rows] = _expected_f1(block, sets[part][rows])
        return value

    def _joint(self, X):
        joint, sets, confidence = self._rank(X)
        return with_confidence(joint, sets, confidence)

    def _best_ranked(self, X):
        """Return the candidate of highest confidence of each row: (n, L)."""
        _, sets, confidence = self._rank(X)
        best = confidence.argmax(axis=1)  # candidates stand by score, so the first of equals wins
        return sets[np.arange(len(sets)), best]

    def _bytes_per_row(self):
        return super()._bytes_per_row() + 24.0 * self.n_candidates * (len(self.label_names_) + 3)

    def _rank(self, X):
        """Return the calibrated joint, the candidates (n, k, L) and their confidences (n, k)."""
        joint = self._calibrated_joint(X)
        sets = self._best_sets(joint)
        return joint, sets, self._confidence(X, joint, sets)

    def _best_sets(self, joint):
        return joint.top_k(self.n_candidates, allow_empty=self.empty_seen_)[0]

    def _learn_decision(self, X, Y, parts):
        self._fitted_decoder = None
        if self.decoder is not None:
            JointClassifier._learn_decoder(self, X, Y)
        return parts

    def _candidates(self, joint, part):
        return self._best_sets(joint)


def _expected_f1(joint, sets):
    sizes = sets.sum(axis=1, dtype=float)
    by_size = np.einsum("nl,nls->ns", sets.astype(float), joint.size_marginals())
    weights = 2.0 / (sizes[:, None] + np.arange(1, joint.n_labels + 1))
    return np.where(sizes > 0, (by_size * weights).sum(axis=1), joint.size_distribution()[:, 0])
