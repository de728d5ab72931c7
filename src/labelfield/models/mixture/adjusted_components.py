"""The log-odds of one classifier, scaled and shifted anew in every component."""

import numpy as np

from labelfield.models.mixture.parts import Components
from labelfield.models.mixture.rates import belonging

__all__ = ["AdjustedComponents"]

MAX_STEPS = 2  # of Newton's method in a round; the next round goes on from there


class AdjustedComponents(Components):
    """Log-odds z_nkl = a_kl t_nl + c_kl: what a classifier says, adjusted in every component.

    The rows X of all methods are the log-odds t (n, L). Every round takes a few Newton steps on
    sum_n gamma_nk CE(y_nl, z_nkl) + scale_alpha / 2 (a_kl - 1)^2 + shift_alpha / 2 c_kl^2, so that
    a component without rows says what the classifier says.
    """

    def __init__(self, *, scale_alpha=10.0, shift_alpha=0.1):
        self.scale_alpha = scale_alpha
        self.shift_alpha = shift_alpha

    def start(self, X, Y, gamma, known=None):
        self.n_components = gamma.shape[1]
        self.scale = np.ones((self.n_components, Y.shape[1]))
        self.shift = np.zeros_like(self.scale)
        self.step_size = np.ones_like(self.scale)

    def update(self, X, Y, gamma, known=None):
        own = belonging(gamma)
        labels = Y.astype(np.float64)
        for k in range(self.n_components):
            rows = np.flatnonzero(own[:, k])
            weight = gamma[rows, k][:, None]
            if known is not None:
                weight = weight * known[rows]
            self.scale[k], self.shift[k] = self._improved(k, X, labels, rows, weight)

    def _improved(self, k, T, Y, rows, weight):
        """Return scale and shift (L,) of component k after Newton steps, short where long fail."""
        scale, shift, size = self.scale[k], self.shift[k], self.step_size[k]
        terms = self.terms(scale, shift, T, Y, rows, weight)
        for _ in range(MAX_STEPS):
            d_scale, d_shift = _newton_step(terms)
            new_scale, new_shift = scale - size * d_scale, shift - size * d_shift
            found = self.terms(new_scale, new_shift, T, Y, rows, weight)
            fell = found[0] <= terms[0]
            scale, shift = np.where(fell, new_scale, scale), np.where(fell, new_shift, shift)
            terms = np.where(fell, found, terms)
            size = np.where(fell, np.minimum(2.0 * size, 1.0), size / 4.0)
        self.step_size[k] = size
        return scale, shift

    def terms(self, scale, shift, T, Y, rows, weight):
        """Return the M-step's objective of every label and its derivatives: (6, L).

        See `adjusted_loss.adjusted_terms`; the penalties are added.
        """
        from labelfield.models.mixture.adjusted_loss import adjusted_terms  # loads numba

        terms = adjusted_terms(scale, shift, T, Y, rows, weight)
        terms[0] += self._penalties(scale, shift)
        terms[1] += self.scale_alpha * (scale - 1.0)
        terms[2] += self.shift_alpha * shift
        terms[3] += self.scale_alpha
        terms[5] += self.shift_alpha
        return terms

    def _penalties(self, scale, shift):
        return 0.5 * (self.scale_alpha * (scale - 1.0) ** 2 + self.shift_alpha * shift**2)

    def component_logits(self, k, X):
        return X * self.scale[k] + self.shift[k]

    def penalty(self):
        return float(self._penalties(self.scale, self.shift).sum())

    def n_active(self):
        return self.scale.size

    def finish(self):
        del self.step_size


def _newton_step(terms):
    """Return the steps (L,) of scale and shift that solve their two equations."""
    _, by_scale, by_shift, a, b, c = terms
    determinant = a * c - b * b
    steps = c * by_scale - b * by_shift, a * by_shift - b * by_scale
    return steps[0] / determinant, steps[1] / determinant
