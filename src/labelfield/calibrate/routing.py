"""Which predictions may skip review, with a guarantee."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy.special import betaincinv

from labelfield._reading import as_numbers
from labelfield._shown import as_html

__all__ = ["Route", "acceptance_threshold", "clopper_pearson_lower"]

STEP = 1.1  # growth of the accepted rows from one test to the next
MAX_STARTS = 4


@dataclass(frozen=True, eq=False)
class Route:
    """What to accept and what to review.

    Attributes
    ----------
    accept : bool array of shape (n,)
        Predictions that need no review.
    confidence : array of shape (n,)
    threshold : float
        Predictions of at least this confidence are accepted; infinite if none can be.
    accuracy, confidence_level : float, float
        The promise: the accepted ones are right at this rate, and the choice of the threshold
        keeps the promise with this probability.
    share : float
        Share of the calibration rows above the threshold.
    lower_bound : float
        Clopper-Pearson lower bound of their accuracy at the level of the test; 0 if none.
    """

    accept: np.ndarray
    confidence: np.ndarray
    threshold: float
    accuracy: float
    confidence_level: float
    share: float
    lower_bound: float

    @property
    def review(self):
        """Predictions that need a look: (n,)."""
        return ~self.accept

    def __repr__(self):
        return (
            f"Route({self.accept.sum()} of {len(self.accept)} accepted, "
            f"threshold={self.threshold:.3g}, accuracy={self.accuracy:g}, "
            f"confidence_level={self.confidence_level:g})"
        )

    def _repr_html_(self):
        reachable = np.isfinite(self.threshold)
        rows = [
            ["accepted", f"{self.accept.sum()} of {len(self.accept)}"],
            ["to review", f"{self.review.sum()}"],
            ["confidence from", f"{self.threshold:.3f}" if reachable else "none is enough"],
            ["promise", f"{self.accuracy:g} of the accepted are right"],
            ["kept with probability", f"{self.confidence_level:g}"],
            ["at least right in calibration", f"{self.lower_bound:.3f}" if reachable else ""],
        ]
        return as_html(["route", ""], rows)


def clopper_pearson_lower(hits, n, level):
    """Return the exact lower bound of a rate after `hits` of `n`, elementwise."""
    hits, n = np.asarray(hits, dtype=float), np.asarray(n, dtype=float)
    bound = betaincinv(np.maximum(hits, 1.0), n - hits + 1.0, 1.0 - level)
    return np.where(hits > 0, bound, 0.0)


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

    References
    ----------
    Angelopoulos, Bates, Candes, Jordan, Lei (2021): Learn then test. arXiv:2110.01052.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.calibrate import acceptance_threshold
    >>> c = np.linspace(0, 1, 1000)
    >>> threshold, bound = acceptance_threshold(c, c > 0.5, accuracy=0.9)
    >>> round(threshold, 2), round(float(bound), 2)
    (0.46, 0.9)
    """
    for name, value in (("accuracy", accuracy), ("confidence_level", confidence_level)):
        if not isinstance(value, Real) or not 0.0 < value < 1.0:
            raise ValueError(f"{name} must lie strictly between 0 and 1; got {value!r}.")
    c = as_numbers(confidence, "confidence").astype(float)
    v = as_numbers(correct, "correct", "0 or 1").astype(float)
    if c.shape != v.shape or c.ndim != 1 or not np.isin(v, (0.0, 1.0)).all():
        raise ValueError(
            f"confidence and correct must be of one shape (n,) and correct 0 or 1; got shapes "
            f"{c.shape} and {v.shape}."
        )
    if np.isnan(c).any():
        raise ValueError("confidence holds NaN; give one number per row.")
    risk = 1.0 - confidence_level
    n_starts, level = _share_risk(len(c), accuracy, risk)
    order = np.argsort(-c, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(c[order]) != 0, True)) + 1  # ties stay together
    hits = np.cumsum(v[order])
    best, smallest = 0, _smallest_sample(accuracy, 1.0 - level)
    for start in range(n_starts):
        n = np.array(list(_checkpoints(smallest * 2**start, ends)))
        refused = clopper_pearson_lower(hits[n - 1], n, level) < accuracy
        n_passed = int(np.argmax(np.append(refused, True)))
        best = max(best, *n[:n_passed].tolist(), 0)
    if best == 0:
        return np.inf, 0.0
    return float(c[order][best - 1]), float(clopper_pearson_lower(hits[best - 1], best, level))


def _smallest_sample(accuracy, risk):
    """Return how many rows, all right, it takes to pass the test of the accuracy."""
    return int(np.ceil(np.log(risk) / np.log(accuracy)))


def _share_risk(n_rows, accuracy, risk):
    """Return the number of sequences that fit into the rows, and the level of each one's tests."""
    for n_starts in range(MAX_STARTS, 0, -1):
        if _smallest_sample(accuracy, risk / n_starts) * 2 ** (n_starts - 1) <= n_rows:
            return n_starts, 1.0 - risk / n_starts
    return 0, 1.0 - risk


def _checkpoints(start, ends):
    """Yield numbers of accepted rows, growing by `STEP`, moved down to the end of their ties."""
    n, last = start, 0
    while last < ends[-1]:
        last = int(ends[np.searchsorted(ends, min(n, ends[-1]))])
        yield last
        n = max(last + 1, int(n * STEP))
