"""The cross-entropy of softmax scores, its derivative and its curvature."""

from typing import Any

from labelfield._namespaces import namespace

__all__ = ["softmax_terms"]


def softmax_terms(scores: Any, targets: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return the weighted loss (), summed curvatures (K,) and the derivatives (n, K).

    scores (n, K); targets (n, K), rows sum to one; weights (n,). The loss of a row is
    log sum_k e^z_k - sum_k t_k z_k, its derivative p - t and its curvature p (1 - p).
    """
    xp = namespace(scores)
    distance = xp.max(scores, axis=1, keepdims=True) - scores
    p = xp.exp(-distance)
    total = xp.sum(p, axis=1, keepdims=True)
    fitted = xp.log(total[:, 0]) + xp.sum(targets * distance, axis=1)
    p = p / total
    weights = weights[:, None]
    curvature = xp.sum(weights * p * (1.0 - p), axis=0, dtype=xp.float64)
    value = xp.sum(weights[:, 0] * fitted, dtype=xp.float64)
    return value, curvature, weights * (p - targets)
