"""Costs in place of an accuracy."""

from dataclasses import dataclass

import numpy as np

from labelfield._parameters import Settings, at_least, positive

__all__ = ["Costs"]


@dataclass(frozen=True)
class Costs(Settings):
    """What review and mistakes cost, in one unit (minutes, money).

    An accepted set costs `wrong` if it is not the true one, and `missing` for every label that it
    lacks. The promise in place of an accuracy: all future accepted sets together cost at most what
    their review would have cost.

    Parameters
    ----------
    review : float
        Of looking at one row.
    wrong : float
        Of accepting a wrong set.
    missing : float, default=0.0
        Of each label that an accepted set lacks, beside `wrong`.

    Examples
    --------
    >>> from labelfield.promise import Costs
    >>> Costs(review=1.0, wrong=20.0).accuracy
    0.95
    """

    review: float
    wrong: float
    missing: float = 0.0

    _parameter_constraints = {"review": [positive], "wrong": [positive], "missing": [at_least(0)]}  # noqa: RUF012

    def __post_init__(self):
        super().__post_init__()
        if self.review >= self.wrong:
            raise ValueError(
                f"review={self.review:g} must cost less than a wrong set, wrong={self.wrong:g}: "
                "otherwise accepting everything is cheaper, whatever the model says."
            )

    @property
    def accuracy(self):
        """The accuracy that is worth as much as review, where missing labels cost nothing."""
        return 1.0 - self.review / self.wrong

    def highest(self, n_labels):
        """Return what one row can cost at most."""
        return self.wrong + self.missing * n_labels

    def of_sets(self, sets, truth):
        """Return what accepting sets (n, L) costs, given the true ones: (n,)."""
        sets, truth = np.asarray(sets), np.asarray(truth)
        wrong = (sets != truth).any(axis=1)
        lacking = ((truth == 1) & (sets == 0)).sum(axis=1)
        return self.wrong * wrong + self.missing * lacking
