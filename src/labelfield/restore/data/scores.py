"""How good is a restored table, cell by cell."""

import numpy as np

from labelfield.restore.data.mixed_table import MixedTable

__all__ = ["cell_scores"]


def cell_scores(
    truth: MixedTable, dirty: MixedTable, restored: MixedTable, *, scale
) -> dict[str, float]:
    """Errors of the restored cells, those that were observed and those that were missing apart.

    Parameters
    ----------
    truth, dirty, restored : MixedTable
        The same rows clean, damaged, and after restoring.
    scale : ndarray of shape (mc,)
        Training standard deviations; errors of numbers are in these units.

    Returns
    -------
    dict
        `rmse_observed`, `rmse_missing`, `state_error_observed`, `state_error_missing`: root mean
        squared error of the numbers, share of wrong categories. NaN where there is no such cell.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.restore import MixedTable
    >>> from labelfield.restore import cell_scores
    >>> truth = MixedTable(np.array([[1.0], [2.0]]), np.array([[0], [1]]), (("a", "b"),))
    >>> dirty = truth.with_cells(np.array([[1.5], [np.nan]]), np.array([[1], [-1]]))
    >>> restored = truth.with_cells(truth.continuous + 1, dirty.categorical % 2)
    >>> found = cell_scores(truth, dirty, restored, scale=np.array([2.0]))
    >>> found["rmse_observed"], found["state_error_observed"], found["state_error_missing"]
    (0.5, 1.0, 0.0)
    """
    unit = np.where(np.asarray(scale) > 0, scale, 1.0)
    square = ((restored.continuous - truth.continuous) / unit) ** 2
    wrong = restored.categorical != truth.categorical
    hole, gap = np.isnan(dirty.continuous), dirty.categorical < 0
    return {
        "rmse_observed": float(np.sqrt(_mean(square[~hole]))),
        "rmse_missing": float(np.sqrt(_mean(square[hole]))),
        "state_error_observed": _mean(wrong[~gap]),
        "state_error_missing": _mean(wrong[gap]),
    }


def _mean(values) -> float:
    return float(np.mean(values)) if np.size(values) else float("nan")
