"""scikit-learn's IterativeImputer behind the interface of this package."""

import warnings
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from lab.restorers.filling import fill_holes
from labelfield.restore.base import TableRestorer
from labelfield.restore.tables.codec import best_states

__all__ = ["IterativeTableImputer"]


class IterativeTableImputer(TableRestorer):
    """Chained Bayesian ridge regressions on numbers and indicators (scikit-learn's MICE).

    Parameters
    ----------
    max_iter : int, default 10
    random_state : int, RandomState or None
    categorical, handle_unknown
        See RandomMixedField.

    Examples
    --------
    >>> import numpy as np
    >>> from lab.restorers import IterativeTableImputer
    >>> clean = np.linspace(0, 1, 30)[:, None] * [1.0, 2.0]
    >>> IterativeTableImputer().fit(clean).transform(np.array([[0.5, np.nan]])).round(2).tolist()
    [[0.5, 1.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TableRestorer._parameter_constraints,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, *, max_iter=10, random_state=None, categorical="auto", handle_unknown="error"
    ):
        self.max_iter = max_iter
        self.random_state = random_state
        self.categorical = categorical
        self.handle_unknown = handle_unknown

    def _learn(self, clean):
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer

        self.imputer_ = IterativeImputer(
            max_iter=self.max_iter, random_state=self.random_state, keep_empty_features=True
        )
        rows = self._rows(clean)
        self.n_iter_ = 1
        if rows.shape[1]:
            self.n_iter_ = self._quietly(self.imputer_.fit, rows).n_iter_

    def _clean(self, dirty):
        rows = self._rows(dirty)
        if rows.shape[1]:
            rows = self._quietly(self.imputer_.transform, rows)
        filled = self._with_last_states(rows)
        shape = self.codec_.shape
        mc = shape.n_numeric
        return fill_holes(dirty, filled[:, :mc], best_states(filled[:, mc:], shape))

    def _rows(self, table):
        """Numbers and indicators, NaN in the holes.

        The last state of a column is left out: with it, its siblings would predict every
        indicator exactly, and a hole would keep the mean it starts from.
        """
        shape = self.codec_.shape
        rows = np.concatenate([table.numbers, table.states(shape.n_states)], axis=1)
        rows[~table.observed()[:, shape.node_of_entry]] = np.nan
        return np.delete(rows, self._last_states(), axis=1)

    def _last_states(self):
        shape = self.codec_.shape
        ends = shape.state_starts + np.array(shape.n_states, dtype=np.int64) - 1
        return shape.n_numeric + ends

    def _with_last_states(self, rows):
        """Put back the states left out: what the others leave of one."""
        shape = self.codec_.shape
        full = np.zeros((len(rows), shape.width))
        last = self._last_states()
        full[:, np.delete(np.arange(shape.width), last)] = rows
        if len(last):
            given = np.add.reduceat(full[:, shape.n_numeric :], shape.state_starts, axis=1)
            full[:, last] = 1.0 - given
        return full

    @staticmethod
    def _quietly(function, rows):
        """Its sweeps on indicators rarely meet its own tolerance, which says nothing here."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return function(rows)
