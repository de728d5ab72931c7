"""Whatever holds training data, as Rows."""

import numpy as np

from labelfield._gate.blocks import BlockSource
from labelfield._gate.cluster import ClusterSource
from labelfield._namespaces import is_tensor
from labelfield.learners.rows.block import Targets
from labelfield.learners.rows.cluster import ClusterRows
from labelfield.learners.rows.design import Design, as_fit_design, narrow
from labelfield.learners.rows.memory import MemoryRows
from labelfield.learners.rows.rows import Rows
from labelfield.learners.rows.stream import StreamRows
from labelfield.learners.rows.tensor_design import TensorDesign
from labelfield.learners.rows.tensors import TensorRows

__all__ = ["as_fit_rows", "as_rows"]


def as_rows(X, Y=None, weight=None, n_jobs=None):
    """Return training data as Rows; X that are Rows come back with targets and weights, if given.

    Parameters
    ----------
    X : array or CSR matrix (n, d), Design, BlockSource or Rows
    Y : array or sparse matrix (n, L) in [0, 1], or Targets, optional
    weight : array (n,) or (n, G), optional
    n_jobs : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.rows import as_rows
    >>> as_rows(np.eye(3), np.eye(3)).shape
    (3, 3)
    """
    if is_tensor(X) or isinstance(X, (TensorDesign, TensorRows)):
        return TensorRows.of(X, Y, weight)
    targets = Y if Y is None or isinstance(Y, Targets) else Targets.of(Y)
    if isinstance(weight, (np.ndarray, list)):
        weight = np.asarray(weight)
        weight = weight.reshape(len(weight), -1)
    if isinstance(X, ClusterSource):
        return ClusterRows(X, targets, weight)
    if isinstance(X, BlockSource):
        return StreamRows(X, targets, weight, n_jobs)
    if isinstance(X, Rows):
        return X if targets is None and weight is None else X.with_targets(targets, weight)
    design = X if isinstance(X, Design) else as_fit_design(X)
    return MemoryRows(design, targets, weight, n_jobs)


def as_fit_rows(X, Y, weight=None, n_jobs=None):
    """Return training data as Rows without the columns that say nothing, and which are left."""
    if isinstance(X, Rows):
        return as_rows(X, Y, weight), slice(None)
    if isinstance(X, BlockSource):
        return as_rows(X, Y, weight, n_jobs), X.used
    design, used = narrow(X)
    return as_rows(design, Y, weight, n_jobs), used
