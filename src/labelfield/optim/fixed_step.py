"""Accelerated proximal gradient descent with steps of one length."""

import numpy as np

from labelfield._typing import FloatArray
from labelfield.optim.losses import Loss
from labelfield.optim.penalties import Penalty
from labelfield.optim.trace import Trace

__all__ = ["fixed_step_fista"]

SLACK = 3.0  # of the step against the curvature that the loss reports


def fixed_step_fista(
    loss: Loss,
    penalty: Penalty,
    start: FloatArray,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> tuple[FloatArray, Trace]:
    """Minimise `loss + penalty` of one problem without a line search.

    For losses with kinks, where no step length is short enough for a line search: steps are
    1 / (3 lipschitz), the momentum is dropped where the last step went against the gradient.
    Finished when no entry of the proximal gradient exceeds `tol` times the scale of the loss; if
    that is never so, as at a kink, the point of the least objective is returned.

    Parameters
    ----------
    loss : Loss
    penalty : Penalty
    start : array (p,)
    tol, max_iter : float, int

    Returns
    -------
    x, trace : array (p,), Trace of the objective, which may rise

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import L1, fixed_step_fista
    >>> class Distance:
    ...     def value_and_gradient(self, x):
    ...         return 0.5 * ((x - [3.0, 0.5]) ** 2).sum(), x - [3.0, 0.5]
    ...     def lipschitz(self):
    ...         return 1.0
    ...     def scale(self):
    ...         return 1.0
    >>> x, trace = fixed_step_fista(Distance(), L1(1.0), np.zeros(2))
    >>> x.round(4).tolist(), trace.reason
    ([2.0, 0.0], 'converged')
    """
    x: FloatArray = start.astype(np.float64)
    ahead = x
    step = 1.0 / (SLACK * float(np.max(loss.lipschitz())))
    goal = tol * float(np.max(loss.scale()))
    momentum, objective, best = 1.0, [], x
    for _ in range(max_iter):
        value, gradient = loss.value_and_gradient(ahead)
        objective.append(float(value + penalty.value(ahead)))
        if objective[-1] == min(objective):
            best = ahead
        new = penalty.prox(ahead - step * gradient, step)
        if np.abs(new - ahead).max(initial=0.0) <= step * goal:
            return new, Trace(objective, "converged")
        if (ahead - new) @ (new - x) > 0.0:
            momentum = 1.0
        grown = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = new + (momentum - 1.0) / grown * (new - x)
        x, momentum = new, grown
    return best, Trace(objective, "max_iter")
