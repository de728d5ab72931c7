"""Loss and residual of logistic regressions, one per column, in one pass."""

import numpy as np

from labelfield._typing import FloatArray
from labelfield.kernels._compile import compiled

__all__ = ["loss_and_residual"]


@compiled
def loss_and_residual(
    Z: FloatArray, Y: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return sum_n s_n CE(y_n, z_n) per column, and s (sigma(z) - y).

    Z, Y (n, C); weights (n, C), or (n, 1) shared by all columns; answers (C,) float64 and (n, C).
    The logarithms of unweighted losses are taken of products of 32 factors 1 + exp(-|z|) <= 2.
    """
    n_rows, n_columns = Z.shape
    shared = weights.shape[1] == 1
    loss = np.zeros(n_columns)
    residual = np.empty_like(Z)
    product = np.ones(n_columns)
    plain = shared and np.all(weights == 1)
    for i in range(n_rows):
        for c in range(n_columns):
            z, y = Z[i, c], Y[i, c]
            weight = weights[i, 0] if shared else weights[i, c]
            small = np.exp(-abs(z))
            larger = 1.0 / (1.0 + small)
            sigma = larger if z >= 0 else small * larger
            linear = max(z, 0.0) - y * z
            residual[i, c] = weight * (sigma - y)
            if plain:
                product[c] *= 1.0 + small
                loss[c] += linear
            else:
                loss[c] += weight * (linear + np.log1p(small))
        if plain and i % 32 == 31:
            loss += np.log(product)
            product[:] = 1.0
    return loss + np.log(product), residual
