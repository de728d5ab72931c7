"""Tables drawn from random mixed nets."""

import numpy as np

from labelfield._gate.validation import as_generator
from labelfield.restore.data.mixed_table import MixedTable
from labelfield.restore.net import MixedNet

__all__ = ["make_mixed_net"]

_TILTS = np.array([3.0, 2.0, 1.0])
_AGREEMENT = np.full((3, 3), 0.5) + np.eye(3)
_N_STATES = 3


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
    >>> from labelfield.restore import make_mixed_net
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
