"""A metric that all labels share: the main axes of the centred features."""

from dataclasses import dataclass, replace

import numpy as np

__all__ = ["SpectralMetric", "Spectrum", "find_spectrum"]

MAX_EXACT = 512
RANK = 10
EXTRA = 10  # random directions beyond the rank, for accuracy
FLOOR = 1e-10
TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Axes and eigenvalues of (X - m)' S (X - m), all of them or the largest.

    Where a label has the same curvature at every row, its Hessian is that curvature times this
    matrix plus the ridge: one decomposition serves all labels, and it stays a good metric where
    row weights change, as they do between the rounds of an EM algorithm.

    Attributes
    ----------
    axes : array (d, r)
    values : array (r,), descending
    rest : float
        Stands for the eigenvalues of all other axes.
    total : float
        Sum of the row weights S.
    """

    axes: np.ndarray
    values: np.ndarray
    rest: float
    total: float

    def take(self, columns):
        """Return what is left of it when only some columns of X are in use.

        The axes are then no longer orthogonal, but a metric made of them is still positive.
        """
        if isinstance(columns, slice):
            return self
        return replace(self, axes=np.ascontiguousarray(self.axes[columns]))

    @property
    def complete(self):
        """Whether all axes are there."""
        return self.axes.shape[0] == self.axes.shape[1]


class SpectralMetric:
    """Inverse Hessians of centred parameters (d + 1), the constant last.

    Parameters
    ----------
    spectrum : Spectrum
    ridge : float
    mask : bool array (d, C), optional
        Weights that may differ from zero.
    """

    def __init__(self, spectrum, ridge, mask=None):
        self.spectrum = spectrum
        self.ridge = ridge
        self.mask = mask

    def take(self, columns):
        """Return the metric of the chosen problems only."""
        if self.mask is None:
            return self
        return SpectralMetric(self.spectrum, self.ridge, self.mask[:, columns])

    def solve(self, rows, curvature):
        """Return the inverse Hessians times vectors: (C, d + 1), summed curvatures (C,)."""
        on, off, constant = self._inverses(curvature)
        slopes = rows[:, :-1]
        along = slopes @ self.spectrum.axes
        result = np.empty_like(rows)
        result[:, :-1] = ((on - off) * along) @ self.spectrum.axes.T
        if not self.spectrum.complete:
            result[:, :-1] += off * slopes
        if self.mask is not None:
            result[:, :-1] *= self.mask.T
        result[:, -1] = constant * rows[:, -1]
        return result

    def norms(self, rows, curvature):
        """Return the product of each vector with its image under `solve`: (C,)."""
        on, off, constant = self._inverses(curvature)
        slopes = rows[:, :-1]
        along = slopes @ self.spectrum.axes
        total = np.einsum("ij,ij->i", on - off, along * along)
        if not self.spectrum.complete:
            total += off[:, 0] * np.einsum("ij,ij->i", slopes, slopes)
        return total + constant * rows[:, -1] ** 2

    def _inverses(self, curvature):
        """Return inverse eigenvalues on the axes (C, r), off them (C, 1), of constants (C,)."""
        spectrum = self.spectrum
        mean = np.maximum(curvature / spectrum.total, FLOOR)[:, None]
        floor = self.ridge + FLOOR * (1.0 + mean * spectrum.values[:1])
        off = np.zeros_like(mean) if spectrum.complete else 1.0 / (mean * spectrum.rest + floor)
        return 1.0 / (mean * spectrum.values + floor), off, 1.0 / (mean[:, 0] * spectrum.total)


def find_spectrum(design, weight=None):
    """Return the Spectrum of a design (n, d) under row weights (n,), ones by default.

    With up to 512 features it is exact; with more, the ten largest values are found from one
    product with random directions (the Nystroem method).

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.design import as_design
    >>> from labelfield.learners.spectrum import find_spectrum
    >>> find_spectrum(as_design(np.array([[0.0, 1.0], [2.0, 1.0]]))).values.tolist()
    [2.0, 0.0]
    """
    n, d = design.shape
    weight = np.ones(n) if weight is None else weight
    total = max(float(weight.sum()), TINY)
    center = design.rmatmul(weight[:, None])[:, 0] / total
    if d <= MAX_EXACT:
        values, axes = np.linalg.eigh(design.gram(weight) - total * np.outer(center, center))
        axes = np.ascontiguousarray(axes[:, ::-1])
        return Spectrum(axes, np.maximum(values[::-1], 0.0), 0.0, total)
    probe = np.random.default_rng(0).standard_normal((d, RANK + EXTRA))
    probe = np.linalg.qr(probe)[0]
    product = design.rmatmul(weight[:, None] * design.matmul(probe))
    product -= total * np.outer(center, center @ probe)
    # The matrix is close to product (probe' product)^-1 product', exactly so on the probes.
    inner = probe.T @ product
    inner_values, inner_axes = np.linalg.eigh((inner + inner.T) / 2.0)
    roots = np.sqrt(np.maximum(inner_values, 1e-8 * inner_values[-1]) + TINY)
    axes, singular, _ = np.linalg.svd(product @ (inner_axes / roots), full_matrices=False)
    values = singular[:RANK] ** 2
    return Spectrum(np.ascontiguousarray(axes[:, :RANK]), values, float(values[-1]), total)
