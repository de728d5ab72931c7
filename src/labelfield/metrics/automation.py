"""How many predicted sets can be accepted without review?

Sets are accepted from the most confident down; sets of equal confidence only together. The figures
are those of the given rows, without an allowance for chance.
"""

from typing import Any

import numpy as np

from labelfield._typing import FloatArray
from labelfield.metrics._inputs import check_share, read_hits

__all__ = ["automation_curve", "share_at_accuracy"]


def automation_curve(confidence: Any, correct: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the accuracy of the accepted sets against the share that is accepted.

    Parameters
    ----------
    confidence : (n,) array in [0, 1]
    correct : (n,) array of 0, 1 or NaN (unknown)

    Returns
    -------
    share : (m,) array
        Share of sets accepted, increasing, the last one 1; one point per different confidence.
    accuracy : (m,) array
        Share of right sets among the accepted.
    threshold : (m,) array
        Accept sets of at least this confidence.

    Examples
    --------
    >>> from labelfield.metrics import automation_curve
    >>> share, accuracy, threshold = automation_curve([0.9, 0.8, 0.8, 0.3], [1, 1, 0, 0])
    >>> share
    array([0.25, 0.75, 1.  ])
    >>> accuracy.round(2)
    array([1.  , 0.67, 0.5 ])
    """
    c, v = read_hits(confidence, correct)
    order = np.argsort(-c, kind="stable")
    last_of_tie = np.append(np.diff(c[order]) != 0, True)
    accepted = np.arange(1, len(c) + 1)[last_of_tie]
    hits = np.cumsum(v[order])[last_of_tie]
    return accepted / len(c), hits / accepted, c[order][last_of_tie]


def share_at_accuracy(confidence: Any, correct: Any, accuracy: float) -> float:
    """Return the largest share of sets that can be accepted with at least the wanted accuracy.

    Parameters
    ----------
    confidence : (n,) array in [0, 1]
    correct : (n,) array of 0, 1 or NaN (unknown)
    accuracy : float in [0, 1]

    Returns
    -------
    float
        0 if no threshold reaches the accuracy.

    Examples
    --------
    >>> from labelfield.metrics import share_at_accuracy
    >>> share_at_accuracy([0.9, 0.8, 0.7, 0.3], [1, 0, 1, 0], accuracy=0.6)
    0.75
    """
    check_share(accuracy, "accuracy")
    share, reached, _ = automation_curve(confidence, correct)
    return float(share[reached >= accuracy].max(initial=0.0))
