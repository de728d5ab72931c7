"""The loss of softmax regression with soft targets, as a function of its weights."""

from functools import partial

import numpy as np

from labelfield import kernels
from labelfield.learners.logistic_loss import largest_value
from labelfield.optim.losses import Terms

__all__ = ["SoftmaxLoss", "class_shares"]

TINY = np.finfo(np.float64).tiny


class SoftmaxLoss:
    """-sum_n s_n sum_k t_nk log p_k(x_n), p = softmax of (x_n - m) . w_k + b_k: one problem.

    The parameters of the solvers are ((d + 1) K, 1): the rows of (d + 1, K), the constants last.

    Parameters
    ----------
    rows : Rows
        Features, targets that sum to one in every row, and weights of the rows.
    center : array (d,)
        The centre m; features are centred without being touched.
    """

    def __init__(self, rows, center):
        self.rows = rows
        self.center = center
        self.rounding = 50.0 * rows.precision

    def terms(self, W):
        """Return the loss (1,), gradient ((d + 1) K, 1) and curvatures (1, K) at W."""
        value, curvature, constants, slopes = self._sum(W, with_slopes=True)
        slopes -= np.outer(self.center, constants)
        gradient = np.concatenate([slopes, constants[None]]).reshape(-1, 1)
        return Terms(value[None], gradient, curvature[None])

    def value(self, W):
        """Return the loss: ((d + 1) K, 1) -> (1,)."""
        return self._sum(W, with_slopes=False)[0][None]

    def value_and_gradient(self, W):
        """Return the loss (1,) and its gradient ((d + 1) K, 1)."""
        return self.terms(W)[:2]

    def _sum(self, W, *, with_slopes):
        """Return the sums over the rows of the terms of `_block_terms`."""
        W = W.reshape(-1, self.rows.n_labels)
        shift = W[-1] - self.center @ W[:-1]
        terms = partial(_block_terms, coef=W[:-1], shift=shift, with_slopes=with_slopes)
        return self.rows.sum(terms)

    def scale(self):
        """Return the largest entry of the gradient at the best constants."""
        W = np.zeros((self.rows.shape[1] + 1, self.rows.n_labels))
        W[-1] = np.log(np.maximum(class_shares(self.rows), TINY))
        gradient = self.terms(W.reshape(-1, 1)).gradient
        total = float(self.rows.sum(_block_counts)[1])
        return max(float(np.abs(gradient).max()), 1e-6 * total)

    def lipschitz(self):
        """Return about the largest curvature."""
        return 0.5 * largest_value(self.rows, self.center)[0]


def class_shares(rows):
    """Return the share of the weight that every class has: (K,)."""
    counts, total = rows.sum(_block_counts)
    return counts / max(float(total), TINY)


def _block_terms(block, coef, shift, with_slopes):
    """Return loss, curvatures and derivatives by the constants (K,) and by the weights (d, K)."""
    scores = block.design.matmul(coef)
    scores += shift
    targets = block.targets
    value, curvature = kernels.losses.softmax.softmax_terms(
        scores, block.weight[:, 0], targets.starts, targets.labels, targets.values
    )
    if not with_slopes:
        return (value,)
    return value, curvature, scores.sum(axis=0), block.design.rmatmul(scores)


def _block_counts(block):
    """Return the weights of the classes (K,) and of all rows."""
    return block.targets.sums(block.weight), block.weight.sum()
