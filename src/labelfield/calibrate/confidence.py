"""Confidence in predicted sets: what every classifier that states one has in common."""

from abc import abstractmethod

import numpy as np

from labelfield.calibrate.routing import Route, acceptance_threshold
from labelfield.metrics import automation_curve

__all__ = ["SetConfidenceMixin"]


class SetConfidenceMixin:
    """Adds `predict_confidence`, `automation_curve` and `route` to a JointClassifier.

    A class writes `confidence_of` and sets `route_rows_`: the confidence and the correctness of
    the predicted sets of rows that nothing behind these confidences has seen, or None.
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

    def route(self, X, accuracy=0.95, confidence_level=0.95):
        """Separate predictions that can be accepted from those that need review.

        The threshold is chosen on out-of-fold confidences of the rows of `fit`, by a sequence of
        exact binomial tests that is valid for the search (see `acceptance_threshold`): with
        probability `confidence_level` the accepted sets are right at a rate of at least `accuracy`.
        The guarantee is exact for a confidence that was not refitted and close to it here, where
        the model is refitted to all rows afterwards. New rows must come from where the rows of
        `fit` came from.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        accuracy, confidence_level : float, float in (0, 1)

        Returns
        -------
        Route
        """
        confidence = self.predict_confidence(X)
        if self.route_rows_ is None:
            raise ValueError(
                "route needs out-of-fold confidences; fit with route_folds >= 2 and at least 2 "
                "rows without NaN."
            )
        threshold, bound = self._acceptance_threshold(accuracy, confidence_level)
        return Route(
            accept=confidence >= threshold,
            confidence=confidence,
            threshold=threshold,
            accuracy=accuracy,
            confidence_level=confidence_level,
            share=float((self.route_rows_[0] >= threshold).mean()),
            lower_bound=bound,
        )

    def _acceptance_threshold(self, accuracy, confidence_level):
        confidence, correct = self.route_rows_
        return acceptance_threshold(confidence, correct, accuracy, confidence_level)

    def _hits(self, Y, sets):
        """Return how right the sets (n, k, L) are: (n, k)."""
        return (sets == Y[:, None]).all(axis=2).astype(float)

    def _read_known_sets(self, sets, n_rows):
        """Return complete sets as uint8 (n, L)."""
        sets, unknown = self._read_sets(sets, n_rows, "sets")
        if unknown.any():
            raise ValueError("sets holds NaN; only sets known completely have a confidence.")
        return sets
