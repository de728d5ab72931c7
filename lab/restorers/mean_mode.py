"""Mean and mode: the floor every imputer has to clear."""

from lab.restorers.filling import mean_mode_filled, most_frequent
from labelfield.restore.base import TableRestorer

__all__ = ["MeanModeImputer"]


class MeanModeImputer(TableRestorer):
    """Fill numbers with the training mean and categories with the most frequent one.

    Parameters
    ----------
    categorical, handle_unknown
        See RandomMixedField.

    Examples
    --------
    >>> import numpy as np
    >>> from lab.restorers import MeanModeImputer
    >>> MeanModeImputer().fit(np.array([[1.0], [3.0]])).transform(np.array([[np.nan]])).tolist()
    [[2.0]]
    """

    def __init__(self, *, categorical="auto", handle_unknown="error"):
        self.categorical = categorical
        self.handle_unknown = handle_unknown

    def _learn(self, clean):
        self.modes_ = most_frequent(clean.codes)

    def _clean(self, dirty):
        return mean_mode_filled(dirty, self.modes_)
