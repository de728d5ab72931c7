"""A metric that all labels share: the main axes of the centred features."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from labelfield._namespaces import chosen_rows, namespace, row_dots, to_host
from labelfield.learners.rows import as_rows

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
        return replace(self, axes=chosen_rows(self.axes, columns))

    def among(self, columns, n_columns):
        """Return it as that of more columns, (d,) in all, the others of which do not vary."""
        if isinstance(columns, slice):
            return self
        axes = np.zeros((n_columns, self.axes.shape[1]))
        axes[columns] = self.axes
        return replace(self, axes=axes)

    def on_host(self):
        """Return the spectrum in main memory."""
        return replace(self, axes=to_host(self.axes), values=to_host(self.values))

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
        result = namespace(rows).empty_like(rows)
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
        total = row_dots(on - off, along * along)
        if not self.spectrum.complete:
            total += off[:, 0] * row_dots(slopes, slopes)
        return total + constant * rows[:, -1] ** 2

    def _inverses(self, curvature):
        """Return inverse eigenvalues on the axes (C, r), off them (C, 1), of constants (C,)."""
        spectrum = self.spectrum
        xp = namespace(curvature)
        mean = xp.clip(curvature / spectrum.total, min=FLOOR)[:, None]
        floor = self.ridge + FLOOR * (1.0 + mean * spectrum.values[:1])
        off = xp.zeros_like(mean) if spectrum.complete else 1.0 / (mean * spectrum.rest + floor)
        return 1.0 / (mean * spectrum.values + floor), off, 1.0 / (mean[:, 0] * spectrum.total)


def find_spectrum(X, weight=None):
    """Return the Spectrum of rows (n, d) under their weights, ones by default.

    With up to 512 features it is exact; with more, the ten largest values are found from one
    product with random directions (the Nystroem method).

    Parameters
    ----------
    X : array, CSR matrix or Design (n, d), or Rows
    weight : array (n,), optional

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.spectrum import find_spectrum
    >>> find_spectrum(np.array([[0.0, 1.0], [2.0, 1.0]])).values.tolist()
    [2.0, 0.0]
    """
    rows = as_rows(X, weight=weight)
    d = rows.shape[1]
    if d <= MAX_EXACT:
        total, center, gram = map(to_host, rows.sum(_gram))
        total = max(float(total), TINY)
        values, axes = np.linalg.eigh(gram - np.outer(center, center) / total)
        return _spectrum(axes[:, ::-1], np.maximum(values[::-1], 0.0), 0.0, total, rows.place)
    probe = np.random.default_rng(0).standard_normal((d, RANK + EXTRA))
    probe = np.linalg.qr(probe)[0]
    products = rows.sum(partial(_products, probe=rows.place.asarray(probe)))
    total, center, product = map(to_host, products)
    total = max(float(total), TINY)
    product -= np.outer(center, center @ probe) / total
    # The matrix is close to product (probe' product)^-1 product', exactly so on the probes.
    inner = probe.T @ product
    inner_values, inner_axes = np.linalg.eigh((inner + inner.T) / 2.0)
    roots = np.sqrt(np.maximum(inner_values, 1e-8 * inner_values[-1]) + TINY)
    axes, singular, _ = np.linalg.svd(product @ (inner_axes / roots), full_matrices=False)
    values = singular[:RANK] ** 2
    return _spectrum(axes[:, :RANK], values, float(values[-1]), total, rows.place)


def _spectrum(axes, values, rest, total, place):
    axes = place.asarray(np.ascontiguousarray(axes))
    return Spectrum(axes, place.asarray(np.ascontiguousarray(values)), rest, total)


def _gram(block):
    """Return the weight of a block, the sum of its weighted rows and X' S X."""
    xp = namespace(block.weight)
    weight = xp.mean(block.weight, axis=1)
    sums = block.design.rmatmul(weight[:, None])[:, 0]
    return xp.sum(weight), sums, block.design.gram(weight)


def _products(block, probe):
    """Return the weight of a block, the sum of its weighted rows and X' S X times the probes."""
    xp = namespace(block.weight)
    weight = xp.mean(block.weight, axis=1, keepdims=True)
    sums = block.design.rmatmul(weight)[:, 0]
    product = block.design.rmatmul(weight * block.design.matmul(probe))
    return xp.sum(weight), sums, product
