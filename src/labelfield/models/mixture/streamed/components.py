"""The regressions of all components, fitted in the same passes over rows that lie elsewhere."""

import numpy as np

from labelfield.learners.rows import Targets
from labelfield.learners.spectrum import SpectralMetric, find_spectrum
from labelfield.models.mixture.logistic_components import MIN_MASS, LogisticComponents
from labelfield.models.mixture.parts import among_rows
from labelfield.models.mixture.streamed.own_rows_loss import OwnRowsLoss, survey_rows
from labelfield.optim import Ridge, column_lbfgs

__all__ = ["StreamedComponents"]

FIELDS = ("constant", "coef", "intercept", "labels", "active")


class StreamedComponents(LogisticComponents):
    """The same regressions for X that are Rows, read from disk or on other machines.

    What is one fit after the other in memory is one fit of all columns here, because every pass
    over the rows costs. The columns are separate problems, so that the answers are the same.
    """

    def _find_spectrum(self, X, gamma):
        return find_spectrum(X.with_targets(None, (gamma.sum(axis=1) > 0)[:, None]))

    def update(self, X, Y, gamma, known=None):
        self._choose_labels(Y, gamma, known)
        rows = X.with_targets(Targets.of(Y), gamma)
        survey = survey_rows(rows, sparse=self.sparse)
        chosen = [self._learnable(k, survey) for k in range(self.n_components)]
        components = np.repeat(np.arange(self.n_components), [mask.sum() for mask in chosen])
        if not len(components):
            return
        labels, coef, intercept = self._stacked(chosen)
        loss = OwnRowsLoss(rows, survey, components, labels, sparse=self.sparse)
        step = rows.columns_at_once()
        for first in range(0, len(labels), step):
            columns = np.arange(first, min(first + step, len(labels)))
            coef[:, columns], intercept[columns] = self._solve(
                loss.take(columns), coef[:, columns], intercept[columns]
            )
        for k, mask in enumerate(chosen):
            own = components == k
            self.components[k].coef[:, mask] = coef[:, own]
            self.components[k].intercept[mask] = intercept[own]

    def _learnable(self, k, survey):
        """Return which of the regressions of a component have enough rows of both kinds."""
        component = self.components[k]
        present, total = survey.present[k, component.labels], survey.total[k]
        return component.active & (np.minimum(present, total - present) > MIN_MASS)

    def _stacked(self, chosen):
        """Return labels (C,), weights (d, C) and constants (C,) of the chosen regressions."""
        pairs = list(zip(self.components, chosen))
        return (
            np.concatenate([part.labels[mask] for part, mask in pairs]),
            np.concatenate([part.coef[:, mask] for part, mask in pairs], axis=1),
            np.concatenate([part.intercept[mask] for part, mask in pairs]),
        )

    def _solve(self, loss, coef, intercept):
        """Return weights (d, C) and constants (C,) a few steps from those given."""
        coef = coef * loss.mask
        start = np.concatenate([coef, (intercept + loss.shift(coef))[None]]).astype(np.float64)
        key = f"components alpha={self.alpha!r} tol={self.tol!r} shape={start.shape}"
        W, _ = column_lbfgs(
            loss,
            Ridge(self.alpha, 1),
            start,
            metric=SpectralMetric(self.spectrum, self.alpha, loss.mask),
            tol=self.tol,
            max_iter=self.n_updates,
            watch=loss.rows.watch(key),
        )
        return W[:-1], W[-1] - loss.shift(W[:-1])

    def kept(self):
        """Return the parameters, arrays by name."""
        return {
            f"{name}_{k}": getattr(component, name)
            for k, component in enumerate(self.components)
            for name in FIELDS
        }

    def restore(self, kept):
        """Take over parameters that `kept` gave."""
        for k, component in enumerate(self.components):
            for name in FIELDS:
                setattr(component, name, kept[f"{name}_{k}"])

    def widen(self, used, n_features):
        """Turn weights of the features in use into weights of all features."""
        for component in self.components:
            component.coef = among_rows(component.coef, used, n_features)
