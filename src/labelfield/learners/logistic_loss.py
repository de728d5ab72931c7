"""The logistic loss of all labels, as a function of their weights."""

import numpy as np

from labelfield import kernels

__all__ = ["LogisticLoss"]

TINY = np.finfo(np.float64).tiny


class LogisticLoss:
    """sum_n s_nl [log(1 + e^z) - y_nl z] of every label l, z = (x_n - m) . w_l + b_l.

    The parameters of the solvers are (d + 1, L), the constants b last. Features are centred at m
    without being touched: it changes the constants only, and spares the solvers the coupling
    between them and the weights.

    Parameters
    ----------
    design : Design (n, d)
    Y : array (n, L) in [0, 1]
    weight : array (n, 1) or (n, L), optional
    center : array (d,), optional
        The centre m, 0 by default.
    mask : bool array (d, L), optional
        Weights that may differ from zero.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.design import as_design
    >>> from labelfield.learners.logistic_loss import LogisticLoss
    >>> loss = LogisticLoss(as_design(np.array([[-1.0], [1.0]])), np.array([[0], [1]]))
    >>> value, gradient = loss.value_and_gradient(np.zeros((2, 1)))
    >>> value.round(4).tolist(), gradient.tolist()
    ([1.3863], [[-1.0], [0.0]])
    """

    def __init__(self, design, Y, weight=None, center=None, mask=None):
        self.design = design
        self.Y = np.ascontiguousarray(Y, dtype=np.float64)
        self.weight = np.ones((len(Y), 1)) if weight is None else np.ascontiguousarray(weight)
        self.center = np.zeros(design.shape[1]) if center is None else center
        self.mask = mask
        self.rounding = 50.0 * design.precision

    def take(self, columns):
        """Return the loss of the chosen labels only."""
        weight = self.weight if self.weight.shape[1] == 1 else self.weight.take(columns, axis=1)
        mask = None if self.mask is None else self.mask[:, columns]
        return LogisticLoss(self.design, self.Y.take(columns, axis=1), weight, self.center, mask)

    def image(self, W):
        """Return the scores z: (d + 1, L) -> (n, L)."""
        scores = self.design.matmul(W[:-1])
        scores += W[-1] - self.center @ W[:-1]
        return scores

    def evaluate(self, scores):
        """Return losses (L,), derivatives by the scores (n, L) and summed curvatures (L,)."""
        return kernels.losses.logistic.logistic_terms(
            np.ascontiguousarray(scores), self.Y, self.weight
        )

    def pull_back(self, derivative):
        """Return the gradient (d + 1, L) of derivatives by the scores (n, L)."""
        rows = np.empty((derivative.shape[1], self.design.shape[1] + 1))  # as the solver wants it
        rows[:, -1] = derivative.sum(axis=0)
        rows[:, :-1] = self.design.rmatmul(derivative).T
        rows[:, :-1] -= np.outer(rows[:, -1], self.center)
        if self.mask is not None:
            rows[:, :-1] *= self.mask.T
        return rows.T

    def value(self, W):
        """Return the losses: (d + 1, L) -> (L,)."""
        return self.evaluate(self.image(W))[0]

    def value_and_gradient(self, W):
        """Return the losses (L,) and their gradient (d + 1, L)."""
        value, derivative, _ = self.evaluate(self.image(W))
        return value, self.pull_back(derivative)

    def scale(self):
        """Return the largest entry of the gradient at the best constants: (L,)."""
        total = self.weight.sum(axis=0)
        share = (self.weight * self.Y).sum(axis=0) / np.maximum(total, TINY)
        gradient = self.pull_back(self.weight * (share - self.Y))
        return np.maximum(np.abs(gradient).max(axis=0), 1e-6 * total)

    def lipschitz(self):
        """Return about the largest curvature of each label: (L,)."""
        weight = self.weight.mean(axis=1, keepdims=True)
        largest = 0.25 * largest_value(self.design, weight, self.center)
        share = self.weight.sum(axis=0) / max(float(weight.sum()), TINY)
        return np.broadcast_to(largest * share, self.Y.shape[1:])


def largest_value(design, weight, center, n_steps=8):
    """Return about the largest eigenvalue of the weighted products of centred features and 1.

    weight (n, 1); found by power iteration, so a little too small.
    """
    v = np.random.default_rng(0).standard_normal((design.shape[1], 1))
    total = float(weight.sum())
    size = 0.0
    for _ in range(n_steps):
        v /= max(float(np.linalg.norm(v)), TINY)
        image = weight * (design.matmul(v) - center @ v)
        v = design.rmatmul(image) - center[:, None] * image.sum()
        size = float(np.linalg.norm(v))
    return max(size, total)
