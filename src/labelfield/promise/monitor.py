"""Is the promise still kept? A running test on the audit slice that may be looked at any time."""

import numpy as np

from labelfield._gate.reading import as_numbers
from labelfield.promise.evidence import STAKES, betting_lower, check_rates

__all__ = ["PromiseMonitor"]

MOST = 1e300


class PromiseMonitor:
    """Watches audited rows one by one and raises an alarm when the promise breaks.

    A capital of 1 bets against the promise: after each audited row it is multiplied by
    1 + f (accuracy - value) / (1 - accuracy), where f is the stake. While the promise is kept, the
    capital does not grow on average, so it ever reaches 1 / alpha with probability alpha at most:
    one may look after every row, for ever. Half of the capital is staked from the first row on, a
    sixth from the second, 1 / (k (k + 1)) from row k, so that a promise that breaks late is
    noticed too; each part is the average over several stakes.

    The rows must be a random slice of the accepted ones, reviewed without seeing the prediction.

    Parameters
    ----------
    accuracy : float in (0, 1)
        The promise.
    alpha : float in (0, 1), default=0.05
        Chance of an alarm, ever, while the promise is kept.

    Attributes
    ----------
    n : int
        Audited rows so far.
    capital : float
        Evidence against the promise; alarm at 1 / alpha.
    alarm_at : int or None
        After how many rows the alarm came; it stays on.
    values : list of float

    References
    ----------
    Shin, Ramdas, Rinaldo (2024): E-detectors: a nonparametric framework for sequential change
    detection. New England Journal of Statistics in Data Science 2.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.promise import PromiseMonitor
    >>> monitor = PromiseMonitor(accuracy=0.9)
    >>> monitor.update(np.ones(100)).alarm
    False
    >>> monitor.update([1, 0] * 20).alarm, monitor.alarm_at
    (True, 126)
    """

    def __init__(self, accuracy, alpha=0.05):
        check_rates(accuracy=accuracy, alpha=alpha)
        self.accuracy = float(accuracy)
        self.alpha = float(alpha)
        self.values = []
        self.alarm_at = None
        self._staked = np.zeros(len(STAKES))

    def update(self, values):
        """Take in further audited rows, in the order of their review.

        Parameters
        ----------
        values : array of shape (m,) or a number
            1 where the accepted set was right, 0 where not (or the measure that was promised).

        Returns
        -------
        self
        """
        array = np.atleast_1d(as_numbers(values, "values").astype(float))
        if array.ndim != 1 or not ((array >= 0.0) & (array <= 1.0)).all():
            raise ValueError("values must be 0 or 1, or measures in [0, 1], one for each row.")
        for value in array.tolist():
            self.values.append(value)
            n = len(self.values)
            gain = 1.0 + STAKES * (self.accuracy - value) / (1.0 - self.accuracy)
            self._staked = np.minimum((self._staked + 1.0 / (n * (n + 1))) * gain, MOST)
            if self.alarm_at is None and self.capital >= 1.0 / self.alpha:
                self.alarm_at = n
        return self

    @property
    def n(self):
        """Audited rows so far."""
        return len(self.values)

    @property
    def capital(self):
        """What the bets against the promise are worth now: staked, and not yet staked."""
        return float(self._staked.mean() + 1.0 / (self.n + 1))

    @property
    def alarm(self):
        """Whether the promise is refuted."""
        return self.alarm_at is not None

    @property
    def rate(self):
        """Mean of the values so far; NaN without any."""
        return float(np.mean(self.values)) if self.values else np.nan

    def interval(self):
        """Return bounds of the rate over all rows so far, valid after every row: (low, high).

        They hold with probability 1 - alpha, for ever, while the rate stays the same.
        """
        values = np.asarray(self.values)
        risk = self.alpha / 2.0  # each side has half
        return betting_lower(values, risk), 1.0 - betting_lower(1.0 - values, risk)

    def __str__(self):
        low, high = self.interval()
        state = (
            f"ALARM after {self.alarm_at} rows: the promise is broken"
            if self.alarm
            else "no sign that the promise is broken"
        )
        return (
            f"Promised {self.accuracy:g}; audited {self.n}, seen {self.rate:.3f} "
            f"({low:.3f} to {high:.3f}); evidence {self.capital:.2g} of {1 / self.alpha:g}: "
            f"{state}."
        )
