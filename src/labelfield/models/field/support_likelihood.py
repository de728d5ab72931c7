"""Log-linear laws on a list of label sets: scores, likelihood and gradients."""

import numpy as np
import scipy.sparse as sp

from labelfield import kernels
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
        return kernels.support.support_terms(field, set_score, self.labels, self.starts, self.codes)
