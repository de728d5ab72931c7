"""Log-linear laws on a list of label sets: scores, likelihood and gradients."""

import numpy as np
import scipy.sparse as sp

from labelfield import kernels
from labelfield.joints.base import block_rows
from labelfield.kernels.sets.logspace import logsumexp

__all__ = [
    "KnownLikelihood",
    "SupportLikelihood",
    "pair_indicators",
    "pairs_seen",
    "support_log_weights",
]


def pairs_seen(Y, min_count):
    """Return the label pairs (E, 2) present together in at least `min_count` rows of Y (n, L)."""
    Y = sp.csr_matrix(Y, dtype=np.float64)
    together = (Y.T @ Y).toarray()
    first, second = np.nonzero(np.triu(together >= min_count, k=1))
    return np.stack([first, second], axis=1)


def pair_indicators(sets, pairs):
    """Return which listed set (M, L) holds which pair (E, 2): CSR matrix (M, E)."""
    both = sets[:, pairs[:, 0]] & sets[:, pairs[:, 1]]
    return sp.csr_matrix(both, dtype=np.float64)


def support_log_weights(sets, field, set_score):
    """Return log p(set) of every listed set under score = set . field_n + set_score: (n, M).

    sets (M, L); field (n, L); set_score (M,).
    """
    scores = field @ sets.T.astype(np.float64) + set_score
    return scores - logsumexp(scores, axis=1)[:, None]


class SupportLikelihood:
    """Negative log-likelihood of rows that each hold one of M listed sets.

    The score of set s in row n is s . field_n + set_score_s, normalised over the listed sets. Sets
    are sparse, so that a pass costs about n times the labels of all sets together, and n x M
    exponentials; n x M is never held at once.

    Parameters
    ----------
    sets : uint8 array (M, L)
    codes : int array (n,)
        Which set each row holds.
    """

    def __init__(self, sets, codes):
        rows, self.labels = np.nonzero(sets)
        self.starts = np.searchsorted(rows, np.arange(len(sets) + 1))
        self.codes = codes

    def evaluate(self, field, set_score):
        """Return the value and its gradients with respect to field (n, L) and set_score (M,)."""
        return kernels.losses.support.support_terms(
            field, set_score, self.labels, self.starts, self.codes
        )


class KnownLikelihood:
    """Negative log-likelihood of the known labels of rows, the others summed out.

    As `SupportLikelihood`, but a row holds any of the listed sets that agree with its known labels;
    there must be one.

    Parameters
    ----------
    sets : uint8 array (M, L)
    labels : uint8 array (n, L)
    known : bool array (n, L)
    """

    def __init__(self, sets, labels, known):
        self.sets = sp.csr_matrix(sets, dtype=np.float64)
        self.members = self.sets.T.tocsr()
        self.absent = (known & (labels == 0)).astype(np.float64)
        self.present = (known & (labels == 1)).astype(np.float64)

    def _agrees(self, rows):
        """Return which sets agree with which of the rows: bool (M, b)."""
        held = self.sets @ (self.absent[rows] - self.present[rows]).T
        conflicts = held + self.present[rows].sum(axis=1)
        return conflicts < 0.5

    def evaluate(self, field, set_score):
        """Return the value and its gradients with respect to field (n, L) and set_score (M,)."""
        gradient = np.empty_like(field)
        surplus_of_sets = np.zeros(len(set_score))
        value = 0.0
        for rows in block_rows(len(field), 48.0 * len(set_score)):
            scores = self.sets @ np.ascontiguousarray(field[rows].T)
            scores += set_score[:, None]
            held = np.where(self._agrees(rows), scores, -np.inf)
            log_total, log_held = logsumexp(scores, axis=0), logsumexp(held, axis=0)
            value += float((log_total - log_held).sum())
            surplus = np.exp(scores - log_total) - np.exp(held - log_held)
            surplus_of_sets += surplus.sum(axis=1)
            gradient[rows] = (self.members @ surplus).T
        return value, gradient, surplus_of_sets
