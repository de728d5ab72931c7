"""Limited-memory BFGS for many problems of the same size, one row each.

The pairs of all problems are in the same slots of a ring: steps S and changes Y (A, m, p). A pair
that a problem refused, or has forgotten, is switched off. The two loops of the recursion are two
triangular systems in the weights of the pairs (A, m): with M_ij = s_i . y_j for i = j and for j
newer than i, the first loop is M a = S g and g - Y' a, the second M' c = diag(M) a - Y r and
r + S' c. A few products of stacked matrices, for arrays and tensors alike.
"""

from typing import Any

from labelfield._namespaces import namespace

__all__ = ["first_loop", "second_loop", "times"]


def first_loop(steps: Any, changes: Any, M: Any, on: Any, rows: Any) -> tuple[Any, Any]:
    """Return `rows` (A, p) after the first loop, and the weights of the pairs (A, m).

    M (A, m, m) as above, the identity for pairs that are off; on (A, m) is 1 where they are on.
    """
    xp = namespace(rows)
    weights = xp.linalg.solve(M, (on * times(steps, rows))[..., None])
    return rows - (xp.matrix_transpose(changes) @ weights)[..., 0], weights[..., 0]


def second_loop(steps: Any, changes: Any, M: Any, on: Any, rows: Any, weights: Any) -> Any:
    """Return `rows` (A, p) after the second loop."""
    xp = namespace(rows)
    diagonal = xp.linalg.diagonal(M)
    wanted = on * (diagonal * weights - times(changes, rows))
    solved = xp.linalg.solve(xp.matrix_transpose(M), wanted[..., None])
    return rows + (xp.matrix_transpose(steps) @ solved)[..., 0]


def times(pairs: Any, rows: Any) -> Any:
    """Return the products of stacked pairs (A, m, p) with one vector each (A, p): (A, m)."""
    return (pairs @ rows[..., None])[..., 0]
