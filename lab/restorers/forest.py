"""missForest: holes filled by random forests, column after column, until nothing improves."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.utils._param_validation import Interval

from lab.restorers.filling import mean_mode_filled, most_frequent
from labelfield._gate.validation import as_generator
from labelfield.restore.base import TableRestorer
from labelfield.restore.tables.codec import EncodedTable

__all__ = ["ForestImputer", "predict"]


class ForestImputer(TableRestorer):
    """missForest: predict every column from all others by a forest learned on the training table.

    The holes start at mean and mode and are predicted over and over, the column with the fewest
    holes first, until the sweeps stop coming closer to each other.

    Parameters
    ----------
    n_estimators : int, default 100
    max_iter : int, default 10
        Sweeps over the holes at most.
    n_jobs : int or None
    random_state : int, Generator, RandomState or None
    categorical, handle_unknown
        See RandomMixedField.

    References
    ----------
    D. Stekhoven, P. Buehlmann: MissForest, Bioinformatics 28(1), 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from lab.restorers import ForestImputer
    >>> clean = np.repeat([[0.0, 5.0], [1.0, 9.0]], 20, axis=0)
    >>> imputer = ForestImputer(n_estimators=5, random_state=0).fit(clean)
    >>> imputer.transform(np.array([[1.0, np.nan]])).tolist()
    [[1.0, 9.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TableRestorer._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        *,
        n_estimators=100,
        max_iter=10,
        n_jobs=None,
        random_state=None,
        categorical="auto",
        handle_unknown="error",
    ):
        self.n_estimators = n_estimators
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical = categorical
        self.handle_unknown = handle_unknown

    def _learn(self, clean):
        rng = as_generator(self.random_state)
        self.modes_ = most_frequent(clean.codes)
        complete = mean_mode_filled(clean, self.modes_)
        self._grow(clean, complete, rng)
        self.n_iter_ = 1
        if not clean.observed().all():
            self._grow(clean, self._clean(clean), rng)
            self.n_iter_ = 2

    def _grow(self, clean, complete, rng):
        """One forest per column, on the rows where that column is known."""
        observed = clean.observed()
        mc = self.codec_.shape.n_numeric
        self.forests_ = []
        for node, seen in enumerate(observed.T):
            kind = RandomForestRegressor if node < mc else RandomForestClassifier
            forest = kind(
                self.n_estimators, n_jobs=self.n_jobs, random_state=int(rng.integers(2**31))
            )
            target = complete.numbers[:, node] if node < mc else complete.codes[:, node - mc]
            self.forests_.append(forest.fit(self._inputs(complete, node)[seen], target[seen]))

    def _inputs(self, table, node):
        """All other columns, categories as indicators."""
        shape = self.codec_.shape
        rows = np.concatenate([table.numbers, table.states(shape.n_states)], axis=1)
        others = rows[:, shape.node_of_entry != node]
        return others if others.shape[1] else np.zeros((len(rows), 1))

    def _clean(self, dirty):
        holes = ~dirty.observed()
        order = [node for node in np.argsort(holes.sum(axis=0)) if holes[:, node].any()]
        current = mean_mode_filled(dirty, self.modes_)
        moved = np.inf
        for _ in range(self.max_iter if order else 0):
            following = self._sweep(current, holes, order)
            distance = _distance(current, following, holes)
            if distance >= moved:
                return current
            current, moved = following, distance
        return current

    def _sweep(self, table, holes, order):
        mc = self.codec_.shape.n_numeric
        table = EncodedTable(table.numbers.copy(), table.codes.copy())
        for node in order:
            rows = np.flatnonzero(holes[:, node])
            guess = predict(self.forests_[node], self._inputs(table.take(rows), node))
            if node < mc:
                table.numbers[rows, node] = guess
            else:
                table.codes[rows, node - mc] = guess
        return table


def predict(forest, rows):
    """What `forest.predict(rows)` returns, without its checks, which take longer than the trees."""
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    votes = sum(tree.tree_.predict(rows) for tree in forest.estimators_) / len(forest.estimators_)
    return forest.classes_[votes.argmax(axis=1)] if is_classifier(forest) else votes[:, 0]


def _distance(first, second, holes):
    """Relative squared change of the filled numbers plus share of filled states that changed."""
    mc = first.numbers.shape[1]
    numbers, states = holes[:, :mc], holes[:, mc:]
    change = ((first.numbers - second.numbers)[numbers] ** 2).sum()
    size = (second.numbers[numbers] ** 2).sum()
    flips = (first.codes != second.codes)[states]
    return change / max(size, 1e-12) + (flips.mean() if flips.size else 0.0)
