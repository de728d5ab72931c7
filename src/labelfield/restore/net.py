"""Mixed nets: Gaussian and categorical variables in one exponential family."""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from labelfield.restore.shape import FieldShape

__all__ = ["MixedNet"]


@dataclass(frozen=True, eq=False)
class MixedNet:
    """Parameters of a density over u in R^mc and states v_1..v_md, one-hot D of length K.

    log p(u, v) = -u'Om u / 2 + (mu + R D)'u + al'D + D'Ph D / 2 - log Z.

    Attributes
    ----------
    precision : array of shape (mc, mc)
        Om, positive definite.
    linear : array of shape (mc,)
        mu.
    mixed : array of shape (mc, K)
        R.
    unary : array of shape (K,)
        al.
    pair : array of shape (K, K)
        Ph, symmetric with zero diagonal blocks.
    sizes : tuple of int
        Number of states of each categorical variable; their sum is K.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.restore import MixedNet
    >>> net = MixedNet(np.eye(1), np.zeros(1), np.ones((1, 2)), np.zeros(2), np.zeros((2, 2)), (2,))
    >>> u, v = net.sample(5, rng=np.random.default_rng(0))
    >>> u.shape, v.shape
    ((5, 1), (5, 1))
    """

    precision: np.ndarray
    linear: np.ndarray
    mixed: np.ndarray
    unary: np.ndarray
    pair: np.ndarray
    sizes: tuple[int, ...]

    def __post_init__(self):
        if np.linalg.eigvalsh(self.precision).min(initial=np.inf) <= 0:
            raise ValueError(
                "precision is not positive definite, so no such density exists; "
                "raise its diagonal above the row sums of the absolute off-diagonal."
            )

    @property
    def shape(self) -> FieldShape:
        """Widths of the nodes."""
        return FieldShape(len(self.linear), self.sizes)

    def collapsed(self):
        """Unaries (K,) and pair potentials (K, K) of the categorical part, u integrated out."""
        spread = self.mixed.T @ np.linalg.solve(self.precision, self.mixed)
        mean = self.mixed.T @ np.linalg.solve(self.precision, self.linear)
        return self.unary + mean + np.diag(spread) / 2, self.pair + spread

    def sample(self, n_samples, *, n_sweeps=100, rng):
        """Draw rows: Gibbs sweeps over the categorical part, then u given v exactly.

        The Gaussian part is integrated out, so that the sweeps move between states even
        where u ties them strongly. Every row has its own chain, started at random.

        Returns
        -------
        u : array of shape (n_samples, mc)
        v : int array of shape (n_samples, md)
        """
        unary, pair = self.collapsed()
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        v = np.column_stack([rng.integers(size, size=n_samples) for size in self.sizes])
        D = np.zeros((n_samples, starts[-1]))
        rows = np.arange(n_samples)
        for j, start in enumerate(starts[:-1]):
            D[rows, start + v[:, j]] = 1
        for _ in range(n_sweeps):
            for j, (start, stop) in enumerate(zip(starts[:-1], starts[1:], strict=True)):
                D[:, start:stop] = 0
                p = softmax(unary[start:stop] + D @ pair[:, start:stop], axis=1)
                v[:, j] = (rng.random((n_samples, 1)) > np.cumsum(p, axis=1)[:, :-1]).sum(axis=1)
                D[rows, start + v[:, j]] = 1
        root = np.linalg.cholesky(np.linalg.inv(self.precision))
        mean = np.linalg.solve(self.precision, (self.linear + D @ self.mixed.T).T).T
        return mean + rng.standard_normal(mean.shape) @ root.T, v
