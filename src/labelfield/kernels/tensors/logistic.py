"""The logistic loss, its derivative and its curvature for many scores at once."""

from typing import Any

from labelfield._namespaces import namespace

__all__ = ["logistic_terms"]


def logistic_terms(scores: Any, targets: Any, weights: Any = None) -> tuple[Any, Any, Any]:
    """Return the weighted loss and curvature per column (C,) and the derivatives (n, C).

    scores (n, C); targets (n, C) in [0, 1]; weights (n, 1) or (n, C), None for ones. The loss of a
    score z with target y is log(1 + e^z) - y z, its derivative p - y and its curvature p (1 - p).
    Written with few passes over (n, C) in mind, which take more time than their arithmetic. Sums
    are made in double precision.
    """
    xp = namespace(scores)

    def total(terms: Any) -> Any:
        return xp.sum(terms if weights is None else weights * terms, axis=0, dtype=xp.float64)

    log_total = xp.logaddexp(scores, xp.zeros_like(scores[:1, :1]))
    p = xp.exp(scores - log_total)
    value = total(log_total) - total(targets * scores)
    curvature = total(p) - total(p * p)
    derivative = p - targets
    return value, curvature, derivative if weights is None else weights * derivative
