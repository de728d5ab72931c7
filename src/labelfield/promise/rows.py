"""Reviewed rows that promises rest on."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from labelfield.metrics import f1_score

__all__ = ["MEASURES", "ReviewedRows"]

MEASURES = ("exact", "f1", "recall", "precision")


@dataclass(frozen=True, eq=False)
class ReviewedRows:
    """What a model said of rows that it had not seen, and the truth.

    Attributes
    ----------
    confidence : array of shape (n,)
        Of the predicted sets.
    sets, truth : CSR matrices of shape (n, L)
        Predicted and true label sets.
    log_prob : array of shape (n,)
        Of the true sets; -inf where they are no possible answer.
    others : array of shape (m,)
        Confidences of other rows, which thresholds are taken from.
    exact : bool
        Whether model, calibrator and decoder were fixed without these rows.
    """

    confidence: np.ndarray
    sets: sp.csr_matrix
    truth: sp.csr_matrix
    log_prob: np.ndarray
    others: np.ndarray
    exact: bool

    @classmethod
    def of(cls, confidence, sets, truth, log_prob, others, exact):
        """Keep dense sets (n, L) sparse."""
        sparse = (sp.csr_matrix(np.asarray(rows, dtype=np.uint8)) for rows in (sets, truth))
        return cls(confidence, *sparse, log_prob, others, exact)

    def values(self, measure="exact", label=None):
        """Return how good each set is, NaN where the row does not count: (n,).

        "exact": 1 for the true set. "f1", "recall", "precision": of the set; of a label (its
        number), recall counts the rows that have it, and precision those where it is predicted.
        """
        if measure not in MEASURES:
            raise ValueError(f"measure must be one of {', '.join(MEASURES)}; got {measure!r}.")
        if label is not None:
            return self._label_values(measure, label)
        if measure == "exact":
            return 1.0 - (self._counts(self.sets != self.truth) > 0)
        if measure == "f1":
            return f1_score(self.truth, self.sets, average="rows")
        both = self._counts(self.sets.multiply(self.truth))
        size = self._counts(self.truth if measure == "recall" else self.sets)
        return np.divide(both, size, out=np.full(len(size), np.nan), where=size > 0)

    def costs(self, costs):
        """Return what accepting each set would have cost: (n,)."""
        lacking = self._counts(self.truth > self.sets)
        return costs.wrong * (1.0 - self.values()) + costs.missing * lacking

    def _label_values(self, measure, label):
        if measure not in ("recall", "precision"):
            raise ValueError(f"measure={measure!r} of one label; give 'recall' or 'precision'.")
        held, said = (
            rows[:, [label]].toarray()[:, 0].astype(float) for rows in (self.truth, self.sets)
        )
        counted, value = (held, said) if measure == "recall" else (said, held)
        return np.where(counted == 1.0, value, np.nan)

    def _counts(self, matrix):
        return np.asarray(matrix.sum(axis=1), dtype=float).ravel()
