"""Numbers of labels in a set; see `labelfield.kernels.sets.poisson_binomial`."""

from typing import Any

from labelfield._namespaces import namespace

__all__ = ["size_distribution", "size_marginals"]


def size_distribution(weights: Any, means: Any) -> Any:
    """Return P(|y| = s), s = 0..L, of mixtures: weights (n, K), means (n, K, L) -> (n, L + 1)."""
    total = 0.0
    for k in range(means.shape[1]):
        total = total + weights[:, k, None] * _sizes(means[:, k, :])
    return total


def size_marginals(weights: Any, means: Any, max_size: int) -> Any:
    """Return P(y_l = 1, |y| = s) of mixtures at [i, l, s - 1], s = 1..max_size.

    weights (n, K); means (n, K, L) in [0, 1]; result (n, L, max_size).
    """
    total = 0.0
    for k in range(means.shape[1]):
        total = total + weights[:, k, None, None] * _with_each_label(means[:, k, :], max_size)
    return total


def _sizes(means: Any) -> Any:
    """Return P(size = s) of independent labels: (n, L) -> (n, L + 1)."""
    xp = namespace(means)
    f = xp.zeros_like(means[:, :1]) + 1.0
    for label in range(means.shape[1]):
        mean = means[:, label : label + 1]
        moved = mean * f
        f = xp.concat([f - moved, xp.zeros_like(mean)], axis=1)
        f[:, 1:] += moved
    return f


def _with_each_label(means: Any, max_size: int) -> Any:
    """Return P(y_l = 1, size = s), s = 1..max_size, of independent labels: (n, L, max_size).

    A label's factor is divided out from the bottom for means up to 1/2 and from the top above.
    """
    xp = namespace(means)
    n_labels = means.shape[1]
    f = _sizes(means)
    small = means <= 0.5
    mean = xp.where(small, means, 0.0)
    scale, ratio = 1.0 / (1.0 - mean), mean / (1.0 - mean)
    rest, columns = xp.zeros_like(means), []
    for s in range(min(max_size, n_labels)):
        rest = f[:, s : s + 1] * scale - ratio * rest
        columns.append(mean * rest)
    mean = xp.where(small, 1.0, means)
    scale, ratio = 1.0 / mean, (1.0 - mean) / mean
    rest = xp.zeros_like(means)
    for s in range(n_labels, 0, -1):
        rest = f[:, s : s + 1] * scale - ratio * rest
        if s <= len(columns):
            columns[s - 1] = xp.where(small, columns[s - 1], mean * rest)
    columns += [xp.zeros_like(means)] * (max_size - len(columns))
    return xp.stack(columns, axis=2)
