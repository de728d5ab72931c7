"""Confidence in predicted sets: what every classifier that states one has in common."""

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from labelfield._gate.reading import take_rows
from labelfield._shown import as_html
from labelfield.joints._parts.arrays import as_count
from labelfield.metrics import automation_curve
from labelfield.promise import (
    Acceptance,
    AcceptancePlan,
    Alternatives,
    ReviewedRows,
    acceptance,
    least_log_prob,
)
from labelfield.promise.alternatives import list_alternatives

__all__ = ["Route", "SetConfidenceMixin"]

WORDS = {"exact": "right sets", "f1": "mean F1", "recall": "mean recall"}
WORDS["precision"] = "mean precision"
ANY_CONFIDENCES = np.linspace(0.0, 1.0, 1001)  # thresholds where no other row has a confidence


@dataclass(frozen=True, eq=False)
class Route:
    """What to accept and what to review; prints as the promise behind it.

    Attributes
    ----------
    accept : bool array of shape (n,)
        Predictions that need no review.
    confidence : array of shape (n,)
    acceptance : Acceptance
        The threshold and what is promised; `exact` says whether the promise is approximate.
    """

    accept: np.ndarray
    confidence: np.ndarray
    acceptance: Acceptance

    @property
    def review(self):
        """Predictions that need a look: (n,)."""
        return ~self.accept

    @property
    def threshold(self):
        """Predictions of at least this confidence are accepted; infinite if none can be."""
        return self.acceptance.threshold

    @property
    def exact(self):
        """Whether the promise is exact, or approximate."""
        return self.acceptance.exact

    def __str__(self):
        return f"{self.accept.sum()} of {len(self.accept)} accepted. {self.acceptance}"

    def __repr__(self):
        kind = "exact" if self.exact else "approximate"
        return (
            f"Route({self.accept.sum()} of {len(self.accept)} accepted, "
            f"threshold={self.threshold:.3g}, accuracy={self.acceptance.accuracy:g}, "
            f"confidence_level={self.acceptance.confidence_level:g}, {kind})"
        )

    def _repr_html_(self):
        promise = self.acceptance
        rows = [
            ["accepted", f"{self.accept.sum()} of {len(self.accept)}"],
            ["to review", f"{self.review.sum()}"],
            ["confidence from", f"{self.threshold:.3f}" if promise.met else "none is enough"],
            ["promise", f"{promise.measure} {promise.accuracy:g} or more among the accepted"],
            ["kept with probability", f"{promise.confidence_level:g}"],
            ["this is", "exact" if self.exact else "approximate, no guarantee"],
        ]
        return as_html(["route", ""], rows)


class SetConfidenceMixin:
    """Adds `predict_confidence`, `automation_curve`, `route` and the like to a JointClassifier.

    A class writes `confidence_of` and sets `reviewed_rows_`: ReviewedRows, or None.
    """

    @abstractmethod
    def confidence_of(self, X, sets):
        """Return the probability that given sets are right.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        sets : array or CSR matrix of shape (n, L)

        Returns
        -------
        confidence : array of shape (n,)
        """

    def predict_confidence(self, X):
        """Return the probability that the predicted set of each row is right: (n,)."""
        return self.confidence_of(X, self.predict(X))

    def automation_curve(self, X, y):
        """Return accuracy against the share of accepted sets on labelled rows.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        y : array or CSR matrix of shape (n, L)
            Rows that hold NaN (unknown) are left out.

        Returns
        -------
        share, accuracy, threshold : arrays of shape (m,), see `metrics.automation_curve`
        """
        predicted = self.predict(X)
        sets, _ = self._read_sets(predicted, predicted.shape[0], "sets")
        truth, unknown = self._read_sets(y, predicted.shape[0], "y")
        hits = self._hits(truth, sets[:, None])[:, 0]
        hits[unknown.any(axis=1)] = np.nan
        return automation_curve(self.confidence_of(X, predicted), hits)

    def promise_on(self, X, y):
        """Rest promises on reviewed rows that nothing behind the model has seen: exact ones.

        The rows must be a random sample of those to come. Thresholds are taken from rows of `fit`.
        Ask for one promise, once: who comes back with more rows until it holds has tested more
        often than the level allows for.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        y : array or CSR matrix of shape (n, L)
            Rows that hold NaN (unknown) are left out.

        Returns
        -------
        self

        Examples
        --------
        >>> from labelfield import LabelSetClassifier
        >>> from labelfield.datasets import make_multilabel
        >>> data = make_multilabel(n_samples=400, n_labels=3, random_state=0)
        >>> model = LabelSetClassifier(budget="quick").fit(data.X[:200], data.Y[:200])
        >>> model.acceptance(accuracy=0.4).exact
        False
        >>> model.promise_on(data.X[200:], data.Y[200:]).acceptance(accuracy=0.4).exact
        True
        """
        rows = self.reviewed_rows_
        self._rest_on([(X, y)], ANY_CONFIDENCES if rows is None else rows.others)
        return self

    def _rest_on(self, pieces, others):
        """Keep what the model says of rows (X, y) it has not seen, beside confidences of others."""
        said = [self._review(X, y) for X, y in pieces]
        self.reviewed_rows_ = ReviewedRows.of(*map(np.concatenate, zip(*said)), others, exact=True)

    def _review(self, X, y):
        """Return confidence, predicted and true set, and its log-probability, of known rows."""
        predicted = self.predict(X)
        sets, _ = self._read_sets(predicted, predicted.shape[0], "sets")
        truth, unknown = self._read_sets(y, predicted.shape[0], "y")
        known = ~unknown.any(axis=1)
        confidence, log_prob = self.confidence_of(X, predicted), self._log_prob_of_truth(X, truth)
        return confidence[known], sets[known], truth[known], log_prob[known]

    def acceptance(
        self, accuracy=0.95, confidence_level=0.95, *, measure="exact", label=None, costs=None
    ):
        """Return from which confidence on sets may be accepted, and what that promises.

        Parameters
        ----------
        accuracy, confidence_level : float, float in (0, 1)
        measure : {"exact", "f1", "recall", "precision"}, default="exact"
            What `accuracy` is about: the share of right sets, or the mean F1, recall or precision
            of the accepted sets.
        label : str or int, optional
            With "recall" or "precision": of this label among the accepted sets.
        costs : Costs, optional
            In place of an accuracy and a measure: accepted sets cost at most what their review
            would; of the thresholds that keep this promise, the one that saved most counts.

        Returns
        -------
        Acceptance
            `threshold`, `met`, `exact`; where the wish cannot be met, the `best` promise that these
            rows allow and about how many `more_rows` would do. Prints as a sentence.

        Examples
        --------
        >>> from labelfield import BinaryRelevance, CalibratedSetClassifier
        >>> from labelfield.datasets import make_multilabel
        >>> data = make_multilabel(n_samples=300, n_labels=3, random_state=0)
        >>> model = CalibratedSetClassifier(BinaryRelevance(), promise=0.5).fit(data.X, data.Y)
        >>> found = model.acceptance(accuracy=0.99)
        >>> found.met, found.exact, found.best.accuracy < 0.99
        (False, True, True)
        """
        rows = self._require_reviewed()
        if costs is not None:
            return self._worthwhile(rows, costs, confidence_level)
        words, number = WORDS.get(measure, measure), None
        if label is not None:
            number = self._label_number(label)
            words = f"{measure} of label {str(self.label_names_[number])!r}"
        values = rows.values(measure, number)
        plan = AcceptancePlan.from_confidences(
            rows.others, int((~np.isnan(values)).sum()), accuracy, confidence_level
        )
        return acceptance(rows.confidence, values, plan, exact=rows.exact, measure=words)

    def _worthwhile(self, rows, costs, confidence_level):
        highest, cost = costs.highest(len(self.label_names_)), rows.costs(costs)
        wish = 1.0 - costs.review / highest
        return acceptance(
            rows.confidence,
            1.0 - cost / highest,
            AcceptancePlan.from_confidences(rows.others, len(cost), wish, confidence_level),
            gain=costs.review - cost,
            exact=rows.exact,
            measure=f"1 - cost / {highest:g}, worth its review from {wish:.3f} on,",
        )

    def route(
        self,
        X,
        accuracy=0.95,
        confidence_level=0.95,
        *,
        measure="exact",
        label=None,
        costs=None,
    ):
        """Separate predictions that can be accepted from those that need review.

        With probability `confidence_level` over the reviewed rows, the share of right sets among
        all future accepted ones is at least `accuracy`, if they come from where the reviewed rows
        came from. This is exact where these were held out (`promise` of the wrappers,
        `promise_on`) and approximate, no guarantee, where they are out-of-fold rows of `fit` and
        the model was fitted again afterwards; `route.exact` says which. Where the wish cannot be
        met nothing is accepted, and a warning says what could be promised instead.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        accuracy, confidence_level, measure, label, costs
            See `acceptance`.

        Returns
        -------
        Route
        """
        confidence = self.predict_confidence(X)
        found = self.acceptance(
            accuracy, confidence_level, measure=measure, label=label, costs=costs
        )
        if not found.met:
            warnings.warn(f"Nothing is accepted. {found}", UserWarning, stacklevel=2)
        return Route(confidence >= found.threshold, confidence, found)

    def predict_alternatives(self, X, coverage=0.9, max_sets=10):
        """Return a few label sets for each row, among which the truth is.

        All sets of at least a certain probability are listed; it is chosen on the reviewed rows so
        that the list of a new row holds its true set with probability `coverage` (conformal
        prediction; over the reviewed rows and the new one, approximate for out-of-fold rows).

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        coverage : float in (0, 1), default=0.9
        max_sets : int, default=10
            Where more sets would have to be listed, the row is flagged in `nothing_excluded`: it
            counts as the list of all sets.

        Returns
        -------
        Alternatives

        Examples
        --------
        >>> from labelfield import BinaryRelevance, CalibratedSetClassifier
        >>> from labelfield.datasets import make_multilabel
        >>> data = make_multilabel(n_samples=300, n_labels=3, random_state=0)
        >>> model = CalibratedSetClassifier(BinaryRelevance(), promise=0.5).fit(data.X, data.Y)
        >>> model.predict_alternatives(data.X[:2], coverage=0.5).sizes.tolist()
        [2.0, 2.0]
        """
        max_sets = as_count(max_sets, "max_sets")
        rows = self._require_reviewed()
        least = least_log_prob(rows.log_prob, coverage)
        X = self._enter_new(X)
        sets, probabilities, flagged = [], [], []
        for part in self._row_blocks(X):
            joint = self._bound_joint(take_rows(X, part))
            found = list_alternatives(joint, least, max_sets, self.empty_seen_)
            sets += found[0]
            probabilities += [np.exp(log_prob) for log_prob in found[1]]
            flagged.append(found[2])
        return Alternatives(
            sets, probabilities, np.concatenate(flagged), coverage, float(np.exp(least)), rows.exact
        )

    def _log_prob_of_truth(self, X, truth):
        """Return the log-probability of the true sets (n, L), -inf where none is possible: (n,)."""
        X = self._enter_new(X)
        parts = [
            self._bound_joint(take_rows(X, rows)).log_prob(truth[rows])
            for rows in self._row_blocks(X)
        ]
        return self._possible(np.concatenate(parts) if parts else np.zeros(0), truth)

    def _possible(self, log_prob, truth):
        if self.empty_seen_:
            return log_prob
        return np.where(truth.any(axis=1), log_prob, -np.inf)

    def _require_reviewed(self):
        if self.reviewed_rows_ is None:
            raise ValueError(
                "There are no reviewed rows to rest a promise on: fit with promise='auto' and at "
                "least 2 rows without NaN, or give rows that the model has not seen to promise_on."
            )
        return self.reviewed_rows_

    def _label_number(self, label):
        names = [str(name) for name in self.label_names_]
        if isinstance(label, str) and label in names:
            return names.index(label)
        if isinstance(label, Integral) and 0 <= label < len(names):
            return int(label)
        raise ValueError(f"label={label!r} is none of the {len(names)} labels, by name or number.")

    def _hits(self, Y, sets):
        """Return how right the sets (n, k, L) are: (n, k)."""
        return (sets == Y[:, None]).all(axis=2).astype(float)

    def _read_known_sets(self, sets, n_rows):
        """Return complete sets as uint8 (n, L)."""
        sets, unknown = self._read_sets(sets, n_rows, "sets")
        if unknown.any():
            raise ValueError("sets holds NaN; only sets known completely have a confidence.")
        return sets
