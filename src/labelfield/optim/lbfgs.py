"""A smooth objective of one vector, minimised by limited-memory BFGS."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from labelfield._typing import FloatArray
from labelfield.optim.trace import Trace

__all__ = ["lbfgs"]

HISTORY = 20


def lbfgs(
    objective: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    *,
    tol: float,
    max_iter: int,
) -> tuple[FloatArray, Trace]:
    """Return the minimiser (p,) and the trace.

    Stops when no entry of the gradient exceeds `tol` times its largest one at the start, or when no
    step lowers the objective any more (the limit of the arithmetic).

    Parameters
    ----------
    objective : callable
        Value and gradient of a vector (p,).
    start : (p,) array
    tol, max_iter : float, int

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import lbfgs
    >>> x, trace = lbfgs(lambda x: (float(x @ x), 2 * x), np.ones(2), tol=1e-8, max_iter=50)
    >>> bool(np.abs(x).max() < 1e-6), trace.reason
    (True, 'converged')
    """
    first, slope = objective(start)
    values = [float(first)]

    def keep(intermediate_result: Any) -> None:
        values.append(float(intermediate_result.fun))

    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=keep,
        options={
            "maxiter": max_iter,
            "maxcor": HISTORY,
            "ftol": 0.0,  # a small gain in one step does not say that the minimum is near
            "gtol": tol * float(np.abs(slope).max(initial=0.0)),
        },
    )
    x: FloatArray = found.x
    return x, Trace(values, "max_iter" if found.nit >= max_iter else "converged")
