"""Distribution of the number of labels in a set, alone and together with each label.

The size of a set of independent labels is Poisson-binomial. One label's factor is divided out of
its distribution f = (1 - mu + mu x) g by a recursion from the bottom when mu <= 1/2 and from
the top when mu > 1/2: both never enlarge rounding errors.
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray
from labelfield.kernels._forms import tensor_form
from labelfield.kernels.tensors import poisson_binomial as whole_arrays

__all__ = ["size_distribution", "size_marginals"]

NEGLIGIBLE = 1e-20


@compiled
def _sizes(means: FloatArray, f: FloatArray) -> tuple[int, int]:
    """Write P(size = s) into f (L + 1,); return the lowest and highest size worth a visit.

    means (L,). Cutting both tails while they are built makes the cost follow the likely sizes.
    """
    f[:] = 0.0
    f[0] = 1.0
    low, top = 0, 0
    for mean in means:
        f[top + 1] = mean * f[top]
        for s in range(top, low, -1):
            f[s] = (1.0 - mean) * f[s] + mean * f[s - 1]
        f[low] *= 1.0 - mean
        top += 1
        while f[top] < NEGLIGIBLE:
            f[top] = 0.0
            top -= 1
        while f[low] < NEGLIGIBLE:
            f[low] = 0.0
            low += 1
    return low, top


@tensor_form(whole_arrays.size_distribution)
@compiled
def size_distribution(weights: FloatArray, means: FloatArray) -> FloatArray:
    """Return P(|y| = s), s = 0..L, of mixtures: weights (n, K), means (n, K, L) -> (n, L + 1)."""
    n_rows, n_components, n_labels = means.shape
    answer = np.zeros((n_rows, n_labels + 1))
    f = np.empty(n_labels + 1)
    for i in range(n_rows):
        for c in range(n_components):
            low, top = _sizes(means[i, c], f)
            for s in range(low, top + 1):
                answer[i, s] += weights[i, c] * f[s]
    return answer


@compiled
def _add_from_bottom(
    weight: float, means: FloatArray, f: FloatArray, low: int, top: int, joint: FloatArray
) -> None:
    """Add weight P(y_l = 1, size = s) to joint[s - 1, l] for the labels with mu <= 1/2."""
    n_labels = len(means)
    share, scale, ratio = np.empty(n_labels), np.empty(n_labels), np.empty(n_labels)
    rest = np.zeros(n_labels)
    for label in range(n_labels):
        mean = means[label] if means[label] <= 0.5 else 0.0
        share[label] = weight * mean
        scale[label] = 1.0 / (1.0 - mean)
        ratio[label] = mean * scale[label]
    for s in range(low, min(top, len(joint))):
        row = joint[s]
        for label in range(n_labels):
            rest[label] = f[s] * scale[label] - ratio[label] * rest[label]
            row[label] += share[label] * rest[label]


@compiled
def _add_from_top(
    weight: float, means: FloatArray, f: FloatArray, low: int, top: int, joint: FloatArray
) -> None:
    """Add weight P(y_l = 1, size = s) to joint[s - 1, l] for the labels with mu > 1/2."""
    n_large = 0
    labels = np.empty(len(means), np.int64)
    for label in range(len(means)):
        if means[label] > 0.5:
            labels[n_large] = label
            n_large += 1
    share, scale, ratio = np.empty(n_large), np.empty(n_large), np.empty(n_large)
    rest = np.zeros(n_large)
    for j in range(n_large):
        mean = means[labels[j]]
        share[j] = weight * mean
        scale[j] = 1.0 / mean
        ratio[j] = (1.0 - mean) * scale[j]
    for s in range(top, max(low, 1) - 1, -1):
        for j in range(n_large):
            rest[j] = f[s] * scale[j] - ratio[j] * rest[j]
        if s <= len(joint):
            for j in range(n_large):
                joint[s - 1, labels[j]] += share[j] * rest[j]


@tensor_form(whole_arrays.size_marginals)
@compiled
def size_marginals(weights: FloatArray, means: FloatArray, max_size: int) -> FloatArray:
    """Return P(y_l = 1, |y| = s) of mixtures at [i, l, s - 1], s = 1..max_size.

    weights (n, K); means (n, K, L) in [0, 1]; result (n, L, max_size).
    """
    n_rows, n_components, n_labels = means.shape
    answer = np.empty((n_rows, n_labels, max_size))
    f = np.empty(n_labels + 1)
    joint = np.empty((max_size, n_labels))
    for i in range(n_rows):
        joint[:] = 0.0
        for c in range(n_components):
            if weights[i, c] > 0.0:
                low, top = _sizes(means[i, c], f)
                _add_from_bottom(weights[i, c], means[i, c], f, low, top, joint)
                _add_from_top(weights[i, c], means[i, c], f, low, top, joint)
        for label in range(n_labels):
            for s in range(max_size):
                answer[i, label, s] = joint[s, label]
    return answer
