"""Generated multi-label problems whose labels depend on each other."""

import numpy as np
from scipy import sparse
from scipy.special import expit

from labelfield._gate.validation import as_generator
from labelfield.datasets.dataset import Dataset

__all__ = ["make_correlated_discs", "make_multilabel", "make_star_cliques"]

_DIRECTIONS = np.array(
    [
        (1, 1, -0.5),
        (-1, 1, -0.5),
        (1, -1, -0.5),
        (-1, -1, -0.5),
        (1, 2, -0.5),
        (1, -2, -0.5),
        (-1, 2, -0.5),
        (-1, -2, -0.5),
    ]
)


def make_multilabel(
    n_samples=200,
    n_features=10,
    n_labels=4,
    *,
    coupling=1.5,
    density=None,
    random_state=None,
):
    """Draw labels one after the other, each depending on x and on the labels before it.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
        Sizes n, d and L.
    coupling : float, default 1.5
        Standard deviation of the weights between labels; 0 gives independent labels.
    density : float in (0, 1] or None, default None
        Share of the entries of X that are not zero; None gives a dense X.
    random_state : int, Generator, RandomState or None
        Source of randomness.

    Returns
    -------
    Dataset
        With truth: `coef` (d, L), `intercept` (L,), `coupling` (L, L), strictly lower
        triangular: logit P(y_l = 1 | x, y_1..y_{l-1}) = x'coef_l + intercept_l + y'coupling_l.

    Examples
    --------
    >>> from labelfield.datasets import make_multilabel
    >>> make_multilabel(n_samples=20, n_labels=3, density=0.2, random_state=0)
    Dataset('multilabel', n=20, d=10, L=3, sparse)
    """
    rng = as_generator(random_state)
    X = rng.standard_normal((n_samples, n_features))
    if density is not None:
        X *= rng.random(X.shape) < density
    coef = rng.standard_normal((n_features, n_labels)) * 2 / np.sqrt(n_features * (density or 1))
    intercept = rng.normal(-0.5, 0.5, n_labels)
    links = np.tril(rng.normal(0, 1, (n_labels, n_labels)) * coupling, -1)
    Y = np.zeros((n_samples, n_labels), dtype=np.uint8)
    score = X @ coef + intercept
    for k in range(n_labels):
        Y[:, k] = rng.random(n_samples) < expit(score[:, k] + Y @ links[k])
    return Dataset(
        X if density is None else sparse.csr_matrix(X),
        Y,
        _numbered("x", n_features),
        _numbered("y", n_labels),
        name="multilabel",
        description="Labels drawn in a chain of logistic regressions.",
        truth={"coef": coef, "intercept": intercept, "coupling": links},
    )


def make_correlated_discs(n_samples=1000, n_labels=4, *, random_state=None):
    """Draw points of the unit disc, each label the union of the one before and a half plane.

    x is uniform on the disc, t_i is 1 where eta_i . (x, 1) > 0, y_1 = t_1 and
    y_i = max(y_{i-1}, t_i): the simulation of Q. Li (thesis, section 3.5.3, with eta_i where
    eta_{i-1} is printed, which would make the first two labels equal).

    Parameters
    ----------
    n_samples : int, default 1000
        Number of points n.
    n_labels : int, default 4
        Number of labels L, at most 8 (the size of the pool of directions).
    random_state : int, Generator, RandomState or None
        Source of randomness.

    Returns
    -------
    Dataset
        With truth: `directions` (L, 3).

    Examples
    --------
    >>> from labelfield.datasets import make_correlated_discs
    >>> data = make_correlated_discs(100, random_state=0)
    >>> bool((data.Y[:, 1:] >= data.Y[:, :-1]).all())
    True
    """
    if not 1 <= n_labels <= len(_DIRECTIONS):
        raise ValueError(
            f"n_labels must lie between 1 and {len(_DIRECTIONS)}, the size of the pool of "
            f"directions; got {n_labels}."
        )
    rng = as_generator(random_state)
    radius, angle = np.sqrt(rng.random(n_samples)), rng.uniform(0, 2 * np.pi, n_samples)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    directions = _DIRECTIONS[:n_labels]
    inside = X @ directions[:, :2].T + directions[:, 2] > 0
    return Dataset(
        X,
        np.maximum.accumulate(inside, axis=1).astype(np.uint8),
        ("x1", "x2"),
        _numbered("y", n_labels),
        name="correlated_discs",
        description="Points of the unit disc; each label contains the one before it.",
        truth={"directions": directions.copy()},
    )


def make_star_cliques(
    n_samples=3000,
    n_labels=10,
    n_features=10,
    *,
    n_edges=4,
    n_active=5,
    random_state=None,
):
    """Label each point by the best set under a pairwise model whose edges form a star.

    x is standard normal. Every state of every label (2) and of every edge (4: 00, 01, 10, 11)
    has standard normal weights on the first `n_active` features, zero on the others; y is the
    set of the largest score. Edges join label 0 to labels 1 .. n_edges. This is the
    synthetic problem of Tan et al. (CVPR 2015, section 5.2), in the reading where the printed
    5 weights belong to 5 of the 10 features.

    Parameters
    ----------
    n_samples, n_labels, n_features : int
        Sizes n, L and d. The paper trains on 2000 rows and tests on 1000.
    n_edges : int, default 4
        Number of edges E of the star, less than n_labels.
    n_active : int, default 5
        Number of features with weights.
    random_state : int, Generator, RandomState or None
        Source of randomness.

    Returns
    -------
    Dataset
        With truth: `edges` (E, 2), `label_weights` (L, 2, d), `edge_weights` (E, 4, d).

    Examples
    --------
    >>> from labelfield.datasets import make_star_cliques
    >>> data = make_star_cliques(50, random_state=0)
    >>> data.truth["edges"].tolist()
    [[0, 1], [0, 2], [0, 3], [0, 4]]
    """
    if not 0 <= n_edges < n_labels:
        raise ValueError(f"n_edges must lie between 0 and n_labels - 1; got {n_edges}.")
    if not 1 <= n_active <= n_features:
        raise ValueError(f"n_active must lie between 1 and n_features; got {n_active}.")
    rng = as_generator(random_state)
    label_weights = np.zeros((n_labels, 2, n_features))
    label_weights[:, :, :n_active] = rng.standard_normal((n_labels, 2, n_active))
    edge_weights = np.zeros((n_edges, 4, n_features))
    edge_weights[:, :, :n_active] = rng.standard_normal((n_edges, 4, n_active))
    X = rng.standard_normal((n_samples, n_features))
    return Dataset(
        X,
        _best_star(X, label_weights, edge_weights),
        _numbered("x", n_features),
        _numbered("y", n_labels),
        name="star_cliques",
        description="The best label sets of a pairwise model whose edges form a star.",
        truth={
            "edges": np.array([(0, k + 1) for k in range(n_edges)]).reshape(n_edges, 2),
            "label_weights": label_weights,
            "edge_weights": edge_weights,
        },
    )


def _best_star(X, label_weights, edge_weights):
    """Best set of each row (n, L): given the hub, the other labels no longer interact."""
    unary = np.einsum("nd,lsd->nls", X, label_weights)
    E = len(edge_weights)
    pair = np.einsum("nd,esd->nes", X, edge_weights).reshape(len(X), E, 2, 2)
    leaf = unary[:, 1 : E + 1, None, :] + pair
    hub = np.argmax(unary[:, 0] + leaf.max(axis=3).sum(axis=1), axis=1)
    Y = np.argmax(unary, axis=2).astype(np.uint8)
    Y[:, 0] = hub
    Y[:, 1 : E + 1] = leaf[np.arange(len(X)), :, hub].argmax(axis=2)
    return Y


def _numbered(stem, count):
    return tuple(f"{stem}{k + 1}" for k in range(count))
