"""Logistic regressions on different rows, solved together."""

import numpy as np

from labelfield._namespaces import namespace
from labelfield.learners.logistic_loss import LogisticLoss
from labelfield.learners.rows import find_center
from labelfield.learners.spectrum import SpectralMetric
from labelfield.optim import Ridge, column_lbfgs
from labelfield.optim.losses import Terms

__all__ = ["SideBySide", "fit_side_by_side"]


def fit_side_by_side(problems, spectrum, *, alpha, tol, max_iter):
    """Return the weights (d, C) and constants (C,) of every problem, from where each begins.

    On a device the steps of a solver cost time however small its problem is; here all problems
    share them, and only the products with the features are made one by one.

    Parameters
    ----------
    problems : list of (rows, (coef, intercept))
        Rows with targets (n, C) that all vary, and where to begin.
    spectrum : Spectrum
        About that of the features of every problem.
    alpha, tol, max_iter : float, float, int
        As in LogisticLearner.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.rows import as_rows
    >>> from labelfield.learners.side_by_side import fit_side_by_side
    >>> from labelfield.learners.spectrum import find_spectrum
    >>> X, Y = np.array([[-1.0], [0.0], [1.0]]), np.array([[0], [1], [1]])
    >>> start = np.zeros((1, 1)), np.zeros(1)
    >>> problems = [(as_rows(X, Y), start), (as_rows(X, 1 - Y), start)]
    >>> options = {"alpha": 1.0, "tol": 1e-6, "max_iter": 50}
    >>> found = fit_side_by_side(problems, find_spectrum(X), **options)
    >>> [float(coef[0, 0].round(3)) for coef, _ in found]
    [0.702, -0.702]
    """
    centers = [find_center(rows) for rows, _ in problems]
    loss = SideBySide([LogisticLoss(rows, c) for (rows, _), c in zip(problems, centers)])
    place = problems[0][0].place
    xp, W = place.xp, place.empty((loss.ends[-1], problems[0][0].shape[1] + 1), "float64").T
    for columns, center, (_, (coef, intercept)) in zip(loss.columns(), centers, problems):
        coef = xp.astype(coef, xp.float64)
        W[:-1, columns] = coef
        W[-1, columns] = xp.astype(intercept, xp.float64) + center @ coef
    metric = SpectralMetric(spectrum, alpha)
    W, _ = column_lbfgs(loss, Ridge(alpha, 1), W, metric=metric, tol=tol, max_iter=max_iter)
    found = [W[:, columns] for columns in loss.columns()]
    return [(part[:-1, :], part[-1, :] - m @ part[:-1, :]) for part, m in zip(found, centers)]


class SideBySide:
    """The columns of several losses beside each other, as one loss.

    Parameters
    ----------
    losses : list of LogisticLoss
        With parameters of the same size.
    """

    def __init__(self, losses):
        self.losses = losses
        self.ends = np.cumsum([len(loss.labels) for loss in losses])
        self.rounding = max(loss.rounding for loss in losses)

    def columns(self):
        """Return the columns of every loss: slices."""
        starts = [0, *self.ends[:-1]]
        return [slice(int(first), int(last)) for first, last in zip(starts, self.ends)]

    def take(self, columns):
        """Return the loss of the chosen columns only, in ascending order."""
        parts = []
        for loss, own in zip(self.losses, self.columns()):
            inside = columns[(columns >= own.start) & (columns < own.stop)] - own.start
            if len(inside) == own.stop - own.start:
                parts.append(loss)
            elif len(inside):
                parts.append(loss.take(inside))
        return SideBySide(parts)

    def terms(self, W):
        """Return losses (C,), gradient (d + 1, C) and summed curvatures (C,) at W (d + 1, C)."""
        xp = namespace(W)
        gradient = xp.empty_like(W.T).T
        values, curvatures = [], []
        for loss, columns in zip(self.losses, self.columns()):
            terms = loss.terms(W[:, columns])
            gradient[:, columns] = terms.gradient
            values.append(terms.value)
            curvatures.append(terms.curvature)
        return Terms(xp.concat(values), gradient, xp.concat(curvatures))

    def scale(self):
        """Return the largest entry of the gradient at the best constants: (C,)."""
        return np.concatenate([loss.scale() for loss in self.losses])
