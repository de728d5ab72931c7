"""The loss of softmax regression with soft targets, as a function of its weights."""

import numpy as np

from labelfield import kernels
from labelfield.learners.logistic_loss import largest_value

__all__ = ["SoftmaxLoss"]


class SoftmaxLoss:
    """-sum_n s_n sum_k t_nk log p_k(x_n), p = softmax of (x_n - m) . w_k + b_k: one problem.

    The parameters of the solvers are ((d + 1) K, 1): the rows of (d + 1, K), the constants last.

    Parameters
    ----------
    design : Design (n, d)
    targets : array (n, K), rows sum to one
    weight : array (n, 1)
    center : array (d,)
        The centre m; features are centred without being touched.
    """

    def __init__(self, design, targets, weight, center):
        self.design = design
        self.targets = np.asarray(targets, dtype=np.float64)
        self.weight = weight
        self.center = center
        self.rounding = 50.0 * design.precision

    def image(self, W):
        """Return the scores: ((d + 1) K, 1) -> (n, K)."""
        W = W.reshape(-1, self.targets.shape[1])
        return self.design.matmul(W[:-1]) + (W[-1] - self.center @ W[:-1])

    def evaluate(self, scores):
        """Return the loss (1,), derivatives by the scores (n, K), summed curvatures (1, K)."""
        terms = kernels.losses.softmax.softmax_terms
        value, derivative, curvature = terms(scores, self.targets, self.weight[:, 0])
        return np.array([value]), derivative, curvature[None]

    def pull_back(self, derivative):
        """Return the gradient ((d + 1) K, 1) of derivatives by the scores (n, K)."""
        constants = derivative.sum(axis=0)
        slopes = self.design.rmatmul(derivative) - np.outer(self.center, constants)
        return np.concatenate([slopes, constants[None]]).reshape(-1, 1)

    def value(self, W):
        """Return the loss: ((d + 1) K, 1) -> (1,)."""
        return self.evaluate(self.image(W))[0]

    def value_and_gradient(self, W):
        """Return the loss (1,) and its gradient ((d + 1) K, 1)."""
        value, derivative, _ = self.evaluate(self.image(W))
        return value, self.pull_back(derivative)

    def scale(self):
        """Return the largest entry of the gradient at the best constants."""
        total = max(float(self.weight.sum()), np.finfo(np.float64).tiny)
        share = (self.weight * self.targets).sum(axis=0) / total
        gradient = self.pull_back(self.weight * (share - self.targets))
        return max(float(np.abs(gradient).max()), 1e-6 * total)

    def lipschitz(self):
        """Return about the largest curvature."""
        return 0.5 * largest_value(self.design, self.weight, self.center)
