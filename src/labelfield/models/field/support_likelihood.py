"""Log-linear laws on a list of label sets: scores, likelihood and gradients."""

import numpy as np
import scipy.sparse as sp

from labelfield.joints.base import block_rows
from labelfield.kernels.logspace import logsumexp

__all__ = ["SupportLikelihood", "pair_indicators", "pairs_seen", "support_log_weights"]


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
    exponentials; rows go in blocks, n x M is never held at once.

    Parameters
    ----------
    sets : uint8 array (M, L)
    codes : int array (n,)
        Which set each row holds.
    """

    def __init__(self, sets, codes):
        self.sets = sp.csr_matrix(sets, dtype=np.float64)
        self.members = self.sets.T.tocsr()
        self.codes = codes
        self.counts = np.bincount(codes, minlength=len(sets)).astype(np.float64)
        self.labels = np.asarray(sets, dtype=np.float64)[codes]

    def evaluate(self, field, set_score):
        """Return the value and its gradients with respect to field (n, L) and set_score (M,)."""
        gradient = np.empty_like(field)
        mass = np.zeros(len(set_score))
        value = 0.0
        for rows in block_rows(len(field), 24.0 * len(set_score)):
            scores = self.sets @ np.ascontiguousarray(field[rows].T)
            scores += set_score[:, None]
            held = scores[self.codes[rows], np.arange(scores.shape[1])]
            peak = scores.max(axis=0)
            scores -= peak
            p = np.exp(scores, out=scores)
            total = p.sum(axis=0)
            value += float((np.log(total) + peak - held).sum())
            p /= total
            mass += p.sum(axis=1)
            gradient[rows] = (self.members @ p).T
        gradient -= self.labels
        return value, gradient, mass - self.counts
