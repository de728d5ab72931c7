"""Log-linear distributions on a list of label sets; see `labelfield.kernels.losses.support`."""

from typing import Any

from labelfield._namespaces import namespace

__all__ = ["support_terms"]


def support_terms(
    field: Any, set_score: Any, members: Any, known: Any, weight: Any
) -> tuple[Any, Any, Any]:
    """Return minus the log-likelihood and its gradients by field (n, L) and set_score (M,).

    members (M, L) holds 0 and 1 in the type of field; known (n, M) is 1 at the set of each row, or
    a share of it; weight (n,). The score of set m is set_score_m plus the field of its labels.
    """
    xp = namespace(field)
    distance = field @ members.T + set_score
    distance = xp.max(distance, axis=1, keepdims=True) - distance
    p = xp.exp(-distance)
    total = xp.sum(p, axis=1, keepdims=True)
    loss = xp.log(total[:, 0]) + xp.sum(known * distance, axis=1)
    residual = weight[:, None] * (p / total - known)
    return xp.sum(weight * loss), residual @ members, xp.sum(residual, axis=0)
