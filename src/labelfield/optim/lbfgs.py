"""A smooth objective of one vector, minimised by limited-memory BFGS."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from labelfield._typing import FloatArray
from labelfield.optim.executors import product_threads, products_on
from labelfield.optim.trace import Trace

__all__ = ["lbfgs", "lbfgs_steps"]

HISTORY = 20
Objective = Callable[[FloatArray], tuple[float, FloatArray]]


def lbfgs(
    objective: Objective,
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

    found = lbfgs_steps(
        objective,
        start,
        callback=keep,
        maxiter=max_iter,
        maxcor=HISTORY,
        ftol=0.0,  # a small gain in one step does not say that the minimum is near
        gtol=tol * float(np.abs(slope).max(initial=0.0)),
    )
    x: FloatArray = found.x
    return x, Trace(values, "max_iter" if found.nit >= max_iter else "converged")


def lbfgs_steps(
    objective: Objective, start: FloatArray, *, callback: Any = None, **options: Any
) -> OptimizeResult:
    """Return what scipy's L-BFGS-B says, its own sums of vectors made by one thread.

    It adds vectors up hundreds of times a step. Shared by the threads of a matrix library these
    sums take longer than alone, several times on many cores; only the objective gets the threads.

    Parameters
    ----------
    objective : callable
        Value and gradient of a vector (p,).
    start : (p,) array
    callback : callable, optional
    **options
        Of `scipy.optimize.minimize`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim.lbfgs import lbfgs_steps
    >>> found = lbfgs_steps(lambda x: (float(x @ x), 2 * x), np.ones(2), maxiter=5)
    >>> bool(np.abs(found.x).max() < 1e-6)
    True
    """
    n_threads = product_threads()

    def evaluate(x: FloatArray) -> tuple[float, FloatArray]:
        with products_on(n_threads):
            return objective(x)

    with products_on(1):
        return minimize(
            evaluate, start, jac=True, method="L-BFGS-B", callback=callback, options=options
        )
