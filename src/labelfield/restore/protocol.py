"""The thesis's restoration experiments: clean training rows, damaged test rows (section 2.5)."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from sklearn.base import clone

from labelfield.datasets import MixedTable, corrupt_table
from labelfield.restore.field import RandomMixedField
from labelfield.restore.forest import ForestImputer
from labelfield.restore.iterative import IterativeTableImputer
from labelfield.restore.knn import MixedKNNImputer
from labelfield.restore.mean_mode import MeanModeImputer
from labelfield.restore.regularized_em import RegularizedEMImputer
from labelfield.restore.scores import DownstreamAccuracy, cell_scores

__all__ = ["METHODS", "RHO_GRID", "TABLES", "TAU_GRID", "Condition", "RestorationTask"]

TAU_GRID = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
RHO_GRID = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True)
class Condition:
    """Damage of a test table: noise and flips of strength tau, a share rho of cells removed."""

    tau: float
    rho: float


TABLES = {
    "2.2": tuple(Condition(tau, 0.0) for tau in TAU_GRID),
    "2.3": tuple(Condition(0.2, rho) for rho in RHO_GRID),
    "2.4": tuple(Condition(0.4, rho) for rho in RHO_GRID),
}
"""Conditions of the thesis's tables of accuracies."""

METHODS = {
    "rmf": RandomMixedField(random_state=0),
    "rmf-mean-field": RandomMixedField(inference="mean_field", random_state=0),
    "rmf-estimate": RandomMixedField(noise_scale="estimate", flip_rate="estimate", random_state=0),
    "knni": MixedKNNImputer(),
    "remi": RegularizedEMImputer(),
    "missf": ForestImputer(random_state=0),
    "mice": IterativeTableImputer(random_state=0),
    "mean-mode": MeanModeImputer(),
}
"""Unfitted restorers; "rmf" and "rmf-mean-field" are told the noise, as in the thesis."""

_TOLD_THE_NOISE = ("rmf", "rmf-mean-field")


class RestorationTask:
    """One data set: every method learns the clean training rows once, then restores any damage.

    Parameters
    ----------
    train, test : MixedTable
        Holes of either are filled with the training means and most frequent states first.
    methods : dict of name to unfitted restorer, default METHODS

    Examples
    --------
    >>> from labelfield.datasets import make_mixed_net
    >>> from labelfield.restore import MeanModeImputer
    >>> from labelfield.restore.protocol import Condition, RestorationTask
    >>> table = make_mixed_net(90, n_sweeps=5, random_state=0)
    >>> task = RestorationTask(
    ...     table.take(slice(0, 60)), table.take(slice(60, 90)), {"mean-mode": MeanModeImputer()}
    ... )
    >>> result = task.repetition("mean-mode", Condition(tau=0.2, rho=0.3), seed=0)
    >>> round(result["rmse_observed"], 1), sorted(result)[:3]
    (0.2, ['cpu_seconds', 'error_missing', 'error_observed'])
    """

    def __init__(self, train: MixedTable, test: MixedTable, methods=None):
        self.train = train.filled_from(train)
        self.test = test.filled_from(train)
        self.scale = self.train.continuous.std(axis=0)
        self.methods = METHODS if methods is None else methods
        self._accuracy = DownstreamAccuracy(self.train)
        self._fitted = {}

    def damaged(self, condition: Condition, seed: int) -> MixedTable:
        """The test rows after damage, the same for every method."""
        return corrupt_table(
            self.test,
            noise=condition.tau,
            missing=condition.rho,
            scale=self.scale,
            random_state=seed,
        )

    def fitted(self, name: str):
        """The restorer of this name, fitted at the first call."""
        if name not in self._fitted:
            self._fitted[name] = clone(self.methods[name]).fit(self.train)
        return self._fitted[name]

    def repetition(self, name: str, condition: Condition, seed: int) -> dict[str, float]:
        """Restore one damaged copy of the test rows; return its scores and CPU seconds.

        The name "none" leaves the cells alone (only where nothing is missing).
        """
        dirty = self.damaged(condition, seed)
        restored, seconds = dirty, 0.0
        if name != "none":
            restorer = self.fitted(name)
            if name in _TOLD_THE_NOISE:
                restorer.set_params(noise_scale=condition.tau, flip_rate=condition.tau)
            start = time.process_time()
            restored = restorer.transform(dirty)
            seconds = time.process_time() - start
        scores = cell_scores(self.test, dirty, restored, scale=self.scale)
        return {**self._accuracy(restored), **scores, "cpu_seconds": seconds}

    def run(self, names, conditions, seeds) -> Iterator[dict]:
        """Repetitions of every method under every condition, as flat records."""
        for condition in conditions:
            for seed in seeds:
                for name in names:
                    yield {
                        "method": name,
                        "tau": condition.tau,
                        "rho": condition.rho,
                        "seed": seed,
                        **self.repetition(name, condition, seed),
                    }
