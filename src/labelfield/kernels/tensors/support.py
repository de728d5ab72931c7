"""Log-linear distributions on a list of label sets; see `labelfield.kernels.losses.support`."""

from typing import Any

from labelfield._namespaces import namespace

__all__ = ["support_terms"]


def support_terms(
    field: Any, set_score: Any, members: Any, known: Any, weight: Any
) -> tuple[Any, Any, Any]:
    """Return minus the log-likelihood and its gradients by field (n, L) and set_score (M,).

    members (M, L) holds 0 and 1 in the type of field; known (n,) is the set of each row; weight
    (n,). The score of set m is set_score_m plus the field of its labels. The known sets are missing
    from the gradient by set_score: their part does not change, so that it is added elsewhere. Sums
    are made in double precision.
    """
    xp = namespace(field)
    scores = field @ members.T
    scores += set_score
    scores -= xp.max(scores, axis=1, keepdims=True)
    fitted = xp.take_along_axis(scores, known[:, None], axis=1)[:, 0]
    p = xp.exp(scores)
    total = xp.sum(p, axis=1)
    p *= (weight / total)[:, None]
    gradient = p @ members - weight[:, None] * xp.take(members, known, axis=0)
    value = xp.sum(weight * (xp.log(total) - fitted), dtype=xp.float64)
    return value, gradient, xp.sum(p, axis=0, dtype=xp.float64)
