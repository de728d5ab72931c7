"""The logistic loss, its derivative and its curvature for many scores at once."""

from typing import Any

from labelfield._namespaces import namespace

__all__ = ["logistic_terms"]


def logistic_terms(scores: Any, targets: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return the weighted loss and curvature per column (C,) and the derivatives (n, C).

    scores (n, C); targets (n, C) in [0, 1]; weights (n, 1) or (n, C). The loss of a score z with
    target y is log(1 + e^z) - y z, its derivative p - y and its curvature p (1 - p).
    """
    xp = namespace(scores)
    decay = xp.exp(-xp.abs(scores))
    loss = xp.log1p(decay) + xp.clip(scores, min=0.0) - targets * scores
    value = xp.sum(weights * loss, axis=0)
    larger = 1.0 / (1.0 + decay)
    smaller = decay * larger
    curvature = xp.sum(weights * smaller * larger, axis=0)
    derivative = weights * (xp.where(scores >= 0.0, larger, smaller) - targets)
    return value, curvature, derivative
