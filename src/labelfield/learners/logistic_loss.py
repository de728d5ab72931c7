"""The logistic loss of all labels, as a function of their weights."""

from functools import partial

import numpy as np

from labelfield._namespaces import chosen_columns, contiguous, namespace, to_host
from labelfield.optim.losses import Terms

__all__ = ["LogisticLoss", "columns_of_labels", "largest_value"]

TINY = np.finfo(np.float64).tiny


class LogisticLoss:
    """sum_n s_nl [log(1 + e^z) - y_nl z] of every label l, z = (x_n - m) . w_l + b_l.

    The parameters of the solvers are (d + 1, C), the constants b last. Features are centred at m
    without being touched: it changes the constants only, and spares the solvers the coupling
    between them and the weights.

    Parameters
    ----------
    rows : Rows
        Features, targets and weights.
    center : array (d,), optional
        The centre m, 0 by default.
    mask : bool array (d, C), optional
        Weights that may differ from zero.
    labels : array (C,), optional
        The label of every column, all labels by default.
    groups : array (C,), optional
        The column of the rows' weights that counts for every column; by default that of its label,
        where there are several.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.logistic_loss import LogisticLoss
    >>> from labelfield.learners.rows import as_rows
    >>> loss = LogisticLoss(as_rows(np.array([[-1.0], [1.0]]), np.array([[0], [1]])))
    >>> value, gradient = loss.value_and_gradient(np.zeros((2, 1)))
    >>> value.round(4).tolist(), gradient.tolist()
    ([1.3863], [[-1.0], [0.0]])
    """

    def __init__(self, rows, center=None, mask=None, labels=None, groups=None):
        self.rows = rows
        self.center = rows.place.zeros((rows.shape[1],), "float64") if center is None else center
        self.mask = mask
        self.labels = np.arange(rows.n_labels) if labels is None else labels
        if groups is None:
            groups = np.zeros_like(self.labels) if rows.n_groups == 1 else self.labels
        self.groups = groups
        self.rounding = 50.0 * rows.precision
        self._columns = columns_of_labels(self.labels, rows.n_labels)
        self._flat = None  # constants (C,) and the Terms of a model that has nothing else

    def take(self, columns):
        """Return the loss of the chosen columns only."""
        mask = None if self.mask is None else chosen_columns(self.mask, columns)
        return LogisticLoss(
            self.rows, self.center, mask, self.labels[columns], self.groups[columns]
        )

    def terms(self, W):
        """Return losses (C,), gradient (d + 1, C) and summed curvatures (C,) at W (d + 1, C)."""
        if self._flat is not None:  # solvers ask for the scale, then begin there
            (constants, terms), self._flat = self._flat, None
            xp = namespace(W)
            if bool(xp.all(W[-1, :] == constants)) and not bool(xp.any(W[:-1, :] != 0.0)):
                return terms
        value, curvature, constants, slopes = self._sum(W, with_slopes=True)
        gradient = self.rows.place.empty(W.shape[::-1], "float64").T  # as the solver wants it
        gradient[-1, :] = constants
        slopes -= self.center[:, None] * constants
        gradient[:-1, :] = slopes
        if self.mask is not None:
            gradient[:-1, :] *= self.mask
        return Terms(value, gradient, curvature)

    def value(self, W):
        """Return the losses: (d + 1, C) -> (C,)."""
        return self._sum(W, with_slopes=False)[0]

    def value_and_gradient(self, W):
        """Return the losses (C,) and their gradient (d + 1, C)."""
        return self.terms(W)[:2]

    def _sum(self, W, *, with_slopes):
        """Return the sums over the rows of the terms of `_block_terms`."""
        return self.rows.sum(
            partial(
                _block_terms,
                coef=contiguous(W[:-1, :]),
                shift=W[-1, :] - self.center @ W[:-1, :],
                labels=self.labels,
                groups=self.groups,
                columns=self._columns,
                with_slopes=with_slopes,
            )
        )

    def constants(self):
        """Return the log-odds (C,) of labels without features, and which have two sides.

        A label with one side gets half a row of each on top.
        """
        present, absent = self._counts()
        varies = (present > 0) & (absent > 0)
        prior = np.where(varies, 0.0, 0.5)
        return np.log((present + prior) / (absent + prior)), np.flatnonzero(varies)

    def _counts(self):
        """Return the weight of present and of absent labels: (C,) both."""
        counts = partial(_block_counts, labels=self.labels, groups=self.groups)
        present, total = self.rows.sum(counts)
        return present, total - present

    def scale(self):
        """Return the largest entry of the gradient at the best constants: (C,)."""
        present, absent = self._counts()
        place = self.rows.place
        W = place.zeros((self.rows.shape[1] + 1, len(self.labels)), "float64")
        with np.errstate(divide="ignore"):
            log_odds = np.clip(np.log(present / absent), -700.0, 700.0)
        W[-1, :] = place.asarray(log_odds)
        terms = self.terms(W)
        self._flat = W[-1, :], terms
        gradient = place.xp.abs(terms.gradient)
        return np.maximum(to_host(place.xp.max(gradient, axis=0)), 1e-6 * (present + absent))

    def lipschitz(self):
        """Return about the largest curvature of each column: (C,)."""
        largest, weight = largest_value(self.rows, self.center)
        share = np.add(*self._counts()) / max(weight, TINY)
        return 0.25 * largest * share


def columns_of_labels(labels, n_labels):
    """Return where the columns of every label begin (L + 1,) in a list of them (C,)."""
    members = np.argsort(labels, kind="stable")
    return np.searchsorted(labels[members], np.arange(n_labels + 1)), members


def _block_terms(block, coef, shift, labels, groups, columns, with_slopes):
    """Return losses, curvatures and derivatives by the constants (C,) and by the weights (d, C)."""
    scores = block.design.scores(coef, shift)
    value, curvature, slopes = block.targets.logistic_terms(
        scores, block.weight, labels, groups, columns
    )
    if not with_slopes:
        return (value,)
    xp = namespace(slopes)
    constants = xp.sum(slopes, axis=0, dtype=xp.float64)
    return value, curvature, constants, block.design.rmatmul(slopes)


def _block_counts(block, labels, groups):
    """Return the weight of present labels and of all: (C,) both."""
    n_groups = block.weight.shape[1]
    totals = to_host(namespace(block.weight).sum(block.weight, axis=0))[groups]
    if n_groups in (1, block.targets.n_labels):
        return to_host(block.targets.sums(block.weight))[labels], totals
    weights = [block.weight[:, g : g + 1] for g in range(n_groups)]
    by_group = [to_host(block.targets.sums(weight)) for weight in weights]
    return np.array(by_group)[groups, labels], totals


def largest_value(rows, center, n_steps=8):
    """Return about the largest eigenvalue of the weighted products of centred features and 1.

    Found by power iteration, so a little too small; and the weight of all rows.
    """
    place = rows.place
    v = place.asarray(np.random.default_rng(0).standard_normal((rows.shape[1], 1)))
    center = place.asarray(center)
    size = weight = 0.0
    for _ in range(n_steps):
        v /= max(float(place.xp.sum(v * v)) ** 0.5, TINY)
        product, total, weight = rows.sum(partial(_block_product, v=v, shift=center @ v))
        v = product - center[:, None] * total
        size = float(place.xp.sum(v * v)) ** 0.5
    return max(size, float(weight)), float(weight)


def _block_product(block, v, shift):
    """Return X' S (X v - shift), the sum of S (X v - shift) and the weight of the rows."""
    xp = namespace(block.weight)
    weight = xp.mean(block.weight, axis=1, keepdims=True)
    image = weight * (block.design.matmul(v) - shift)
    return block.design.rmatmul(image), xp.sum(image), xp.sum(weight)
