"""One logistic regression per component and active label."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import log_expit, logit

from labelfield._gate.reading import take_rows
from labelfield._namespaces import (
    chosen_columns,
    is_tensor,
    namespace,
    place_of,
    row_numbers,
    to_host,
)
from labelfield.learners.logistic import LogisticLearner
from labelfield.learners.rows.design import as_design, narrow
from labelfield.learners.spectrum import find_spectrum
from labelfield.models.mixture.parts import Components, log_bernoulli_sum
from labelfield.models.mixture.rates import (
    active_labels,
    belonging,
    label_prior,
    smoothed_rates,
)

__all__ = ["LogisticComponents"]

MIN_MASS = 1e-10  # with less of a label present or absent its weights stay as they are


@dataclass
class LogisticComponent:
    """Constant log-odds of all labels, and regressions of those that were ever active."""

    constant: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray = field(default_factory=lambda: np.empty(0))
    labels: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    active: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))

    def enter(self, labels):
        """Make exactly `labels` active: new ones at their constant, old ones where they were."""
        new = np.setdiff1d(labels, self.labels)
        zeros = np.zeros((len(self.coef), len(new)), dtype=self.coef.dtype)
        self.coef = np.concatenate([self.coef, zeros], axis=1)
        self.intercept = np.append(self.intercept, self.constant[new])
        self.labels = np.append(self.labels, new)
        self.active = np.isin(self.labels, labels)

    @property
    def active_labels(self):
        return self.labels[self.active]

    def active_logits(self, X):
        """Return the log-odds of the active labels: (n, number of them)."""
        logits = X @ np.ascontiguousarray(self.coef[:, self.active])
        return np.asarray(logits, dtype=np.float64) + self.intercept[self.active]

    def all_weights(self):
        """Return weights (d, L) and constants (L,) of all labels, no weights if not active."""
        coef = np.zeros((len(self.coef), len(self.constant)), dtype=self.coef.dtype)
        constant = self.constant.astype(np.float64)
        coef[:, self.active_labels] = self.coef[:, self.active]
        constant[self.active_labels] = self.intercept[self.active]
        return coef, constant


def _number_type(X):
    """Return the dtype of numpy in which weights of X are kept."""
    return np.dtype(str(X.dtype).rpartition(".")[2])


class LogisticComponents(Components):
    """Independent logistic regressions per component, a few solver updates per round of EM.

    With `sparse` a component learns only from the rows that belong to it and only the labels that
    vary among them; the others keep their rate.
    """

    def __init__(self, *, sparse, alpha, l1_ratio, n_updates, tol):
        self.sparse = sparse
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.n_updates = n_updates
        self.tol = tol
        self.spectrum = None

    def __getstate__(self):
        return {**self.__dict__, "spectrum": None}  # serves fitting only

    def start(self, X, Y, gamma, known=None):
        self.spectrum = self._find_spectrum(X, gamma)
        self.prior = label_prior(Y, known, gamma)
        self.n_components = gamma.shape[1]
        nothing = np.zeros((X.shape[1], 0), dtype=_number_type(X))
        rates = to_host(smoothed_rates(Y, gamma, self.prior, known))
        self.components = [LogisticComponent(logit(rate), nothing) for rate in rates]

    def _find_spectrum(self, X, gamma):
        """Return the spectrum of all rows: near enough to every component's."""
        del gamma
        if is_tensor(X):
            return find_spectrum(as_design(X))
        design, used = narrow(X)
        return find_spectrum(design).among(used, X.shape[1])

    def update(self, X, Y, gamma, known=None):
        self._choose_labels(Y, gamma, known)
        own = belonging(gamma)
        for k, component in enumerate(self.components):
            if component.active.any():
                self._fit(component, X, Y, gamma[:, k], own[:, k], known)

    def _choose_labels(self, Y, gamma, known):
        """Set the constants of every component and the labels that it learns."""
        constants = logit(to_host(smoothed_rates(Y, gamma, self.prior, known)))
        active = to_host(active_labels(Y, gamma, self.prior, known, sparse=self.sparse))
        for k, component in enumerate(self.components):
            component.constant = constants[k]
            component.enter(np.flatnonzero(active[k]))

    def _fit(self, component, X, Y, weight, own, known):
        rows = row_numbers(own) if self.sparse else slice(None)
        X, Y, weight = take_rows(X, rows), take_rows(Y, rows), take_rows(weight, rows)
        present, total = self._masses(component.labels, Y, weight, known, rows)
        enough = np.minimum(present, total - present) > MIN_MASS
        active = component.active & enough
        if not active.any():
            return
        learner = LogisticLearner(
            alpha=self.alpha,
            l1_ratio=self.l1_ratio,
            max_iter=self.n_updates,
            tol=self.tol,
            warn=False,
        )
        labels = component.labels[active]
        if known is not None:
            weight = weight[:, None] * chosen_columns(take_rows(known, rows), labels)
        start = component.coef[:, active], component.intercept[active]
        learner.fit(
            as_design(X) if is_tensor(X) else X,  # constant columns do no harm for a few steps
            chosen_columns(Y, labels),
            sample_weight=weight,
            start=tuple(map(place_of(X).asarray, start)),
            spectrum=self.spectrum,
        )
        component.coef[:, active] = to_host(learner.coef_)
        component.intercept[active] = to_host(learner.intercept_)

    def _masses(self, labels, Y, weight, known, rows):
        """Return the weight of the rows that have each label, and of those that know it."""
        xp = namespace(weight)
        Y = chosen_columns(Y, labels)
        present = to_host(weight @ (xp.astype(Y, weight.dtype) if is_tensor(Y) else Y))
        if known is None:
            return present, float(xp.sum(weight))
        known = xp.astype(chosen_columns(take_rows(known, rows), labels), weight.dtype)
        return present, to_host(weight @ known)

    def component_logits(self, k, X):
        component = self.components[k]
        if is_tensor(X):
            coef, constant = map(place_of(X).asarray, component.all_weights())
            return as_design(X).matmul(coef) + constant
        logits = np.tile(component.constant, (X.shape[0], 1))
        logits[:, component.active_labels] = component.active_logits(X)
        return logits

    def log_prob(self, X, Y, known=None):
        if is_tensor(X):
            return super().log_prob(X, Y, known)
        columns = []
        for component in self.components:
            fixed = np.ones(Y.shape[1], dtype=bool)
            fixed[component.active_labels] = False
            constant = component.constant[fixed]
            column = Y[:, fixed] @ constant
            if known is None:
                column += log_expit(-constant).sum()
            else:
                column += known[:, fixed] @ log_expit(-constant)
            if component.active.any():
                labels = component.active_labels
                seen = None if known is None else known[:, labels]
                column += log_bernoulli_sum(Y[:, labels], component.active_logits(X), seen)
            columns.append(column)
        return np.stack(columns, axis=1)

    def penalty(self):
        squares = lengths = 0.0
        for component in self.components:
            coef = component.coef[:, component.active].astype(np.float64, copy=False)
            squares += np.vdot(coef, coef)
            lengths += np.abs(coef).sum() if self.l1_ratio else 0.0
        return self.alpha * (0.5 * (1.0 - self.l1_ratio) * squares + self.l1_ratio * lengths)

    def n_active(self):
        return int(sum(component.active.sum() for component in self.components))
