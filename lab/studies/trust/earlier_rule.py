"""The rule of `route` before thresholds were fixed beforehand, for comparison."""

import numpy as np

from labelfield.promise.evidence import clopper_pearson_lower, smallest_sample

__all__ = ["acceptance_threshold"]

STEP = 1.1  # growth of the accepted rows from one test to the next
MAX_STARTS = 4


def acceptance_threshold(confidence, correct, accuracy=0.95, confidence_level=0.95):
    """Return the lowest confidence from which on sets can be accepted, and its lower bound.

    Tests "the sets at or above t are right less often than `accuracy`" for falling t, each by the
    Clopper-Pearson bound, and stops at the first t it cannot reject (fixed-sequence testing, as in
    Learn-then-Test). Because the topmost rows are few and one unlucky row there would end the
    sequence, up to four sequences start at 1, 2, 4 and 8 times the smallest useful number of rows
    and share the error probability equally; the lowest threshold they reach counts.

    The guarantee: with probability `confidence_level` over the given rows, new sets at or above the
    threshold are right at a rate of at least `accuracy`. It holds for any sample size if the rows
    are independent, were not used to fit the confidence, and the chance of a right set does not
    rise where the confidence falls. Why: let t* be the highest threshold that breaks the promise.
    Given how many rows lie above it, their hits are binomial with a rate below `accuracy`, and
    rows further down are right at most as often; the first false claim of a sequence thus has
    at most the probability of its level.

    Parameters
    ----------
    confidence : array of shape (n,)
    correct : array of shape (n,) of 0 and 1
    accuracy, confidence_level : float, float in (0, 1)

    Returns
    -------
    threshold : float
        Infinite where no threshold passes the tests.
    lower_bound : float
        Clopper-Pearson bound of the accuracy above it; 0 without one.
    """
    c, v = np.asarray(confidence, dtype=float), np.asarray(correct, dtype=float)
    risk = 1.0 - confidence_level
    n_starts, level = _share_risk(len(c), accuracy, risk)
    order = np.argsort(-c, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(c[order]) != 0, True)) + 1  # ties stay together
    hits = np.cumsum(v[order])
    best, smallest = 0, smallest_sample(accuracy, 1.0 - level)
    for start in range(n_starts):
        n = np.array(list(_checkpoints(smallest * 2**start, ends)))
        refused = clopper_pearson_lower(hits[n - 1], n, level) < accuracy
        n_passed = int(np.argmax(np.append(refused, True)))
        best = max(best, *n[:n_passed].tolist(), 0)
    if best == 0:
        return np.inf, 0.0
    return float(c[order][best - 1]), float(clopper_pearson_lower(hits[best - 1], best, level))


def _share_risk(n_rows, accuracy, risk):
    """Return the number of sequences that fit into the rows, and the level of each one's tests."""
    for n_starts in range(MAX_STARTS, 0, -1):
        if smallest_sample(accuracy, risk / n_starts) * 2 ** (n_starts - 1) <= n_rows:
            return n_starts, 1.0 - risk / n_starts
    return 0, 1.0 - risk


def _checkpoints(start, ends):
    """Yield numbers of accepted rows, growing by `STEP`, moved down to the end of their ties."""
    n, last = start, 0
    while last < ends[-1]:
        last = int(ends[np.searchsorted(ends, min(n, ends[-1]))])
        yield last
        n = max(last + 1, int(n * STEP))
