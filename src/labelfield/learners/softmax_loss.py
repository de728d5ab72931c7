"""The loss of softmax regression with soft targets, as a function of its weights."""

from functools import partial

import numpy as np

from labelfield._namespaces import namespace, to_host
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

    def take(self, columns):
        """Return the loss itself: its parameters are one problem."""
        del columns
        return self

    def terms(self, W):
        """Return the loss (1,), gradient ((d + 1) K, 1) and curvatures (1, K) at W."""
        value, curvature, constants, slopes = self._sum(W, with_slopes=True)
        xp = namespace(slopes)
        slopes -= self.center[:, None] * constants
        gradient = xp.reshape(xp.concat([slopes, constants[None, :]]), (-1, 1))
        return Terms(xp.reshape(value, (1,)), gradient, curvature[None, :])

    def value(self, W):
        """Return the loss: ((d + 1) K, 1) -> (1,)."""
        return self._sum(W, with_slopes=False)[0][None]

    def value_and_gradient(self, W):
        """Return the loss (1,) and its gradient ((d + 1) K, 1)."""
        return self.terms(W)[:2]

    def _sum(self, W, *, with_slopes):
        """Return the sums over the rows of the terms of `_block_terms`."""
        W = namespace(W).reshape(W, (-1, self.rows.n_labels))
        coef, shift = W[:-1, :], W[-1, :] - self.center @ W[:-1, :]
        terms = partial(_block_terms, coef=coef, shift=shift, with_slopes=with_slopes)
        return self.rows.sum(terms)

    def scale(self):
        """Return the largest entry of the gradient at the best constants."""
        place = self.rows.place
        W = place.zeros((self.rows.shape[1] + 1, self.rows.n_labels), "float64")
        W[-1, :] = place.asarray(np.log(np.maximum(class_shares(self.rows), TINY)))
        gradient = self.terms(place.xp.reshape(W, (-1, 1))).gradient
        total = float(self.rows.sum(_block_counts)[1])
        return max(float(place.xp.max(place.xp.abs(gradient))), 1e-6 * total)

    def lipschitz(self):
        """Return about the largest curvature."""
        return 0.5 * largest_value(self.rows, self.center)[0]


def class_shares(rows):
    """Return the share of the weight that every class has: (K,)."""
    counts, total = rows.sum(_block_counts)
    return counts / max(float(total), TINY)


def _block_terms(block, coef, shift, with_slopes):
    """Return loss, curvatures and derivatives by the constants (K,) and by the weights (d, K)."""
    scores = block.design.scores(coef, shift)
    value, curvature, slopes = block.targets.softmax_terms(scores, block.weight[:, 0])
    if not with_slopes:
        return (value,)
    xp = namespace(slopes)
    constants = xp.sum(slopes, axis=0, dtype=xp.float64)
    return value, curvature, constants, block.design.rmatmul(slopes)


def _block_counts(block):
    """Return the weights of the classes (K,) and of all rows."""
    counts = to_host(block.targets.sums(block.weight))
    return counts, to_host(namespace(block.weight).sum(block.weight))
