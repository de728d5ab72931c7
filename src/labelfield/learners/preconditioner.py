"""Approximate inverse Hessians that all labels share."""

import numpy as np

__all__ = ["choose_preconditioner"]

MAX_DENSE_FEATURES = 1024
# Fitted probabilities are nearer to 0 and 1 than base rates, so the Hessian shrinks on the way;
# this share of its first size served best in products per label on bibtex, scene and yeast.
LATE_CURVATURE = 0.02


def choose_preconditioner(design, curvature, ridge, max_iter):
    """Return a function (G, columns) -> approximate inverse Hessian times G.

    With constant curvature c_l of label l the Hessian is c_l X'X + ridge: one eigendecomposition
    of X'X serves all labels. It is used where it costs less than the iterations it may save;
    otherwise the diagonal is.
    """
    n, d = design.shape
    curvature = np.maximum(curvature, 1e-12).astype(design.dtype)
    decomposition = 10.0 * d**3
    iterations = 0.1 * max_iter * 4.0 * design.n_entries * len(curvature)
    if d <= min(n, MAX_DENSE_FEATURES) and decomposition < iterations:
        return _shared_eigenvectors(design, curvature, ridge)
    return _diagonal(design, curvature, ridge)


def _diagonal(design, curvature, ridge):
    squares = design.squares()[:, None]
    diagonal = LATE_CURVATURE * squares * curvature + ridge + 1e-12
    diagonal[-1] = squares[-1] * curvature
    inverse_diagonal = (1.0 / diagonal).astype(design.dtype)

    def inverse(G, columns):
        return G * inverse_diagonal[:, columns]

    return inverse


def _shared_eigenvectors(design, curvature, ridge):
    """Invert c (X - m)'(X - m) + ridge in its eigenbasis; the constant goes with the mean m."""
    n = design.shape[0]
    mean, gram = design.covariance()
    values, vectors = np.linalg.eigh(gram)
    values = np.maximum(values, 0.0)
    damping = (ridge + 1e-10 * values.max() + 1e-12).astype(design.dtype)
    values, vectors = values.astype(design.dtype)[:, None], vectors.astype(design.dtype)
    mean = mean.astype(design.dtype)

    def inverse(G, columns):
        c = curvature[columns]
        centred = vectors.T @ (G[:-1] - mean[:, None] * G[-1])
        slopes = vectors @ (centred / (values * c + damping))
        constant = G[-1] / (n * c) - mean @ slopes
        return np.concatenate([slopes, constant[None]])

    return inverse
