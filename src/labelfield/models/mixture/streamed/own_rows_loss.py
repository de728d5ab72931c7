"""Logistic losses of labels in components, each over the rows that belong to its component."""

from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from labelfield.learners.logistic_loss import columns_of_labels
from labelfield.learners.rows.design import as_design
from labelfield.models.mixture.rates import belonging
from labelfield.optim.losses import Terms

__all__ = ["OwnRowsLoss", "Survey", "survey_rows"]


class Survey(NamedTuple):
    """What components are told about their own rows.

    Attributes
    ----------
    total : array (K,)
        Their weight.
    center : array (K, d)
        Their weighted mean.
    present : array (K, L)
        The weight of those that have each label.
    varies : bool array (K, d)
        Which features differ among them; of sparse ones, which have entries.
    """

    total: np.ndarray
    center: np.ndarray
    present: np.ndarray
    varies: np.ndarray


def survey_rows(rows, *, sparse):
    """Return the Survey of Rows with targets (n, L) whose weights are memberships (n, K).

    With `sparse` a component has the rows that belong to it more than negligibly, else all.
    """
    sums, low, high = None, None, None
    for _, (found, least, most) in rows.each(partial(_block_survey, sparse=sparse)):
        if sums is None:
            sums, low, high = list(found), least, most
            continue
        for total, more in zip(sums, found):
            total += more
        low, high = np.minimum(low, least), np.maximum(high, most)
    total, center, present = sums
    return Survey(total, center / np.maximum(total, 1e-300)[:, None], present, high > low)


def own_rows(block, k, *, sparse):
    """Return the numbers of the rows of a block that belong to component k."""
    return np.flatnonzero(belonging(block.weight)[:, k] if sparse else block.weight[:, k])


def _block_survey(block, sparse):
    K, d = block.weight.shape[1], block.design.shape[1]
    total, center, present = np.zeros(K), np.zeros((K, d)), np.zeros((K, block.targets.n_labels))
    low, high = np.full((K, d), np.inf), np.full((K, d), -np.inf)
    for k in range(K):
        own = own_rows(block, k, sparse=sparse)
        if not len(own):
            continue
        X, weight = block.design.X[own], block.weight[own, k : k + 1]
        total[k] = weight.sum()
        center[k] = np.asarray(X.T @ weight, dtype=np.float64)[:, 0]
        present[k] = block.targets.take(own).sums(weight)
        if sp.issparse(X):
            low[k], high[k] = 0, np.bincount(X.indices, minlength=d) > 0
        else:
            low[k], high[k] = X.min(axis=0), X.max(axis=0)
    return (total, center, present), low, high


class OwnRowsLoss:
    """A logistic loss per column: that of a label in a component, over the component's rows.

    As `LogisticLoss`, with features centred at the mean of the component's rows. All components
    are summed in one pass over the rows.

    Parameters
    ----------
    rows : Rows
        With targets (n, L) and memberships (n, K) as weights.
    survey : Survey
    components, labels : arrays (C,)
        Of the columns; those of a component are neighbours.
    sparse : bool
        See `survey_rows`.
    """

    def __init__(self, rows, survey, components, labels, *, sparse):
        self.rows, self.survey, self.sparse = rows, survey, sparse
        self.components, self.labels = components, labels
        self.center = np.ascontiguousarray(survey.center[components].T)
        self.mask = np.ascontiguousarray(survey.varies[components].T)
        self.center[~self.mask] = 0.0

    def take(self, columns):
        """Return the loss of the chosen columns only."""
        chosen = self.components[columns], self.labels[columns]
        return OwnRowsLoss(self.rows, self.survey, *chosen, sparse=self.sparse)

    def shift(self, coef):
        """Return what the centres add to every column with weights (d, C): (C,)."""
        return np.einsum("dc,dc->c", self.center, coef)

    def terms(self, W):
        """Return losses (C,), gradient (d + 1, C) and summed curvatures (C,) at W (d + 1, C)."""
        coef = np.ascontiguousarray(W[:-1])
        terms = partial(
            _block_terms,
            coef=coef,
            shift=W[-1] - self.shift(coef),
            components=self.components,
            labels=self.labels,
            sparse=self.sparse,
        )
        value, curvature, constants, slopes = self.rows.sum(terms)
        gradient = np.empty(W.shape[::-1]).T  # as the solver wants it
        gradient[-1] = constants
        gradient[:-1] = (slopes - self.center * constants) * self.mask
        return Terms(value, gradient, curvature)

    def scale(self):
        """Return the largest entry of the gradient at the best constants: (C,)."""
        total = self.survey.total[self.components]
        present = self.survey.present[self.components, self.labels]
        W = np.zeros((self.rows.shape[1] + 1, len(self.labels)))
        with np.errstate(divide="ignore"):
            W[-1] = np.clip(np.log(present) - np.log(total - present), -700.0, 700.0)
        return np.maximum(np.abs(self.terms(W).gradient).max(axis=0), 1e-6 * total)


def _block_terms(block, coef, shift, components, labels, sparse):
    """Return losses, curvatures and derivatives by the constants (C,) and by the weights (d, C)."""
    value, curvature, constants = np.zeros((3, len(labels)))
    slopes = np.zeros(coef.shape)
    for k in np.unique(components):
        own = own_rows(block, k, sparse=sparse)
        if not len(own):
            continue
        first, last = np.searchsorted(components, [k, k + 1])
        columns, chosen = slice(first, last), labels[first:last]
        every = len(own) == block.design.shape[0]
        design = block.design if every else as_design(block.design.X[own])
        scores = design.scores(np.ascontiguousarray(coef[:, columns]), shift[columns])
        value[columns], curvature[columns], residual = block.targets.take(own).logistic_terms(
            scores,
            np.ascontiguousarray(block.weight[own, k : k + 1]),
            chosen,
            np.zeros_like(chosen),
            columns_of_labels(chosen, block.targets.n_labels),
        )
        constants[columns] = residual.sum(axis=0)
        slopes[:, columns] = design.rmatmul(residual)
    return value, curvature, constants, slopes
