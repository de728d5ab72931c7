"""Random mixed nets: Gaussian and categorical variables in one exponential family."""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from labelfield._validation import as_generator
from labelfield.datasets.mixed_table import MixedTable

__all__ = ["MixedNet", "make_mixed_net"]

_TILTS = np.array([3.0, 2.0, 1.0])
_AGREEMENT = np.full((3, 3), 0.5) + np.eye(3)
_N_STATES = 3


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
    >>> from labelfield.datasets import MixedNet
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


def make_mixed_net(
    n_samples=1500,
    *,
    n_continuous=15,
    n_categorical=10,
    coupling=4.0,
    shift=0.5,
    n_sweeps=100,
    random_state=None,
):
    """Draw a two-class table from two mixed nets that differ a little.

    The net of Q. Li's thesis (section 2.5.1): mu_s = 1, rho_sj = (3, 2, 1), phi_jj = 0,
    phi_jk = 1.5 for equal states and 0.5 for others, omega_st = 4 on an edge. The printed
    omega_ss = 1 is not positive definite, so no such density exists; here a diagonal entry
    is 1 plus the sum of the absolute edges of its row. Each class adds its own number from
    [-shift, shift] to all rho_sj. The thesis shows its graph only as a picture; here the
    continuous variables form a ring, the categorical ones another, and continuous variable
    s is tied to categorical variable s modulo md.

    Parameters
    ----------
    n_samples : int, default 1500
        Number of rows n; the first half is class 0 before the rows are shuffled.
    n_continuous, n_categorical : int
        Sizes mc and md; every categorical variable has three states.
    coupling : float, default 4.0
        Precision omega_st of a continuous edge. Weak edges leave a small diagonal, and the
        mixed terms then press nearly all categorical values into the first state.
    shift : float, default 0.5
        Bound of the difference between the classes.
    n_sweeps : int, default 100
        Gibbs sweeps before a row is taken.
    random_state : int, Generator, RandomState or None
        Source of randomness.

    Returns
    -------
    MixedTable
        With truth: `nets`, the MixedNet of each class, and `edges`, a dict of three arrays
        (E, 2): "continuous", "mixed" and "categorical".

    Examples
    --------
    >>> from labelfield.datasets import make_mixed_net
    >>> make_mixed_net(30, n_sweeps=5, random_state=0)
    MixedTable('mixed_net', n=30, 15 continuous, 10 categorical, 0 missing)
    """
    rng = as_generator(random_state)
    mc, md = n_continuous, n_categorical
    edges = {
        "continuous": _ring(mc),
        "mixed": np.array([(s, s % md) for s in range(mc)]),
        "categorical": _ring(md),
    }
    shifts = rng.uniform(-shift, shift, 2)
    nets = tuple(_thesis_net(edges, mc, md, coupling, _TILTS + delta) for delta in shifts)
    counts = (n_samples - n_samples // 2, n_samples // 2)
    draws = [net.sample(n, n_sweeps=n_sweeps, rng=rng) for net, n in zip(nets, counts, strict=True)]
    order = rng.permutation(n_samples)
    return MixedTable(
        np.vstack([u for u, _ in draws])[order],
        np.vstack([v for _, v in draws])[order],
        (("1", "2", "3"),) * md,
        target=np.repeat([0, 1], counts)[order],
        class_names=("0", "1"),
        name="mixed_net",
        truth={"nets": nets, "edges": edges, "shifts": shifts},
    )


def _ring(size):
    pairs = [(k, k + 1) for k in range(size - 1)]
    if size > 2:
        pairs.append((0, size - 1))
    return np.array(pairs, dtype=int).reshape(-1, 2)


def _thesis_net(edges, mc, md, coupling, tilts):
    K = _N_STATES * md
    precision, mixed, pair = np.zeros((mc, mc)), np.zeros((mc, K)), np.zeros((K, K))
    for s, t in edges["continuous"]:
        precision[s, t] = precision[t, s] = coupling
    precision += np.diag(1 + np.abs(precision).sum(axis=1))
    for s, j in edges["mixed"]:
        mixed[s, _block(j)] = tilts
    for j, k in edges["categorical"]:
        pair[_block(j), _block(k)] = pair[_block(k), _block(j)] = _AGREEMENT
    return MixedNet(precision, np.ones(mc), mixed, np.zeros(K), pair, (_N_STATES,) * md)


def _block(j):
    return slice(_N_STATES * j, _N_STATES * (j + 1))
