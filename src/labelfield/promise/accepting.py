"""Which sets may skip review: thresholds fixed beforehand, tested in a fixed order."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from labelfield._gate.reading import as_numbers
from labelfield.promise.evidence import check_rates, lower_bound, mean_p_value, smallest_sample

__all__ = ["Acceptance", "AcceptancePlan", "acceptance"]

STEP = 1.1  # growth of the accepted rows from one threshold to the next
STEPS_APART = 10  # thresholds from one starting point to the next
MARGIN = 1.3  # on the smallest sample that can pass, because the number of rows above is chance
SHARED = 4  # starting points that estimates count on
FEW = 10  # rows: estimates of rates start with as many, of which the wished share is right
AT_LEAST = 1.2  # times as many rows, where the rates seen say that fewer should have done
POWER = 0.8  # with which the estimated number of rows would do


@dataclass(frozen=True, eq=False)
class AcceptancePlan:
    """All that must be fixed before the reviewed rows are looked at.

    Parameters
    ----------
    thresholds : array of shape (m,)
        Confidences, falling, in the order of the tests.
    shares : array of shape (m,)
        Share of the error probability that each test brings along, positive at the starting
        points; they sum to 1 - confidence_level.
    accuracy, confidence_level : float, float in (0, 1)

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.promise import AcceptancePlan
    >>> plan = AcceptancePlan.from_confidences(np.linspace(0, 1, 500), 400, accuracy=0.8)
    >>> plan.thresholds[:3].round(2).tolist(), round(float(plan.shares.sum()), 3)
    ([0.94, 0.94, 0.93], 0.05)
    """

    thresholds: np.ndarray
    shares: np.ndarray
    accuracy: float
    confidence_level: float

    @classmethod
    def from_confidences(cls, confidence, n_rows, accuracy=0.95, confidence_level=0.95):
        """Plan the tests by the confidences of other rows, labelled or not.

        Thresholds lie where a tenth fewer rows are expected than at the one before, from all rows
        up, whatever the wish. Every tenth is a starting point, as long as so many rows pass the
        test if all are right. Starting points share the error equally, but for all rows, whose
        share is smaller, and for the last, whose share grows with its room: a lower wish never
        accepts less than a higher one then (the page on promises has the proof).

        Parameters
        ----------
        confidence : array of shape (m,)
            Not those of the reviewed rows: given these, hits are no longer binomial.
        n_rows : int
            How many reviewed rows there are.
        accuracy, confidence_level : float, float in (0, 1)

        Returns
        -------
        AcceptancePlan
        """
        check_rates(accuracy=accuracy, confidence_level=confidence_level)
        known = np.sort(_read("confidence", confidence))[::-1]
        if not len(known):
            raise ValueError("confidence is empty; thresholds come from other rows' confidences.")
        n_rows = max(n_rows, 1)
        share = _shares(n_rows, accuracy, 1.0 - confidence_level)
        own = np.zeros((len(share) - 1) * STEPS_APART + 1)
        own[::STEPS_APART] = share
        expected = STEP ** -np.arange(len(own), dtype=float)  # of all rows
        every = known[np.ceil(expected * len(known)).astype(int) - 1]
        every[0] = min(known[-1], 0.0)  # all rows
        every, own = every[::-1], own[::-1]
        thresholds, first = np.unique(-every, return_index=True)
        return cls(-thresholds, np.add.reduceat(own, first), accuracy, confidence_level)


@dataclass(frozen=True, eq=False)
class Acceptance:
    """From which confidence on sets are accepted, and what is promised about them.

    Attributes
    ----------
    threshold : float
        Sets of at least this confidence are accepted; infinite if the wish cannot be met.
    accuracy, confidence_level : float, float
        The promise: of all future accepted sets from the same source this share is right (or this
        is their mean F1, recall, precision), and the choice of the threshold keeps the promise
        with this probability.
    n_rows, n_above : int, int
        Reviewed rows, and those of them at or above the threshold.
    rate : float
        Share of the latter that is right (their mean); NaN without any.
    more_rows : float
        About how many more reviewed rows would do; 0 where the wish is met, infinite where the
        accepted ones of no threshold are right that often.
    best : Acceptance or None
        Where the wish cannot be met: the highest accuracy that these rows can promise, at the same
        level. It may be used as it is: it was part of the plan. None if there is not even one.
    exact : bool
        Whether the promise is exact, or approximate because rows were predicted out of fold and
        the model was fitted again afterwards.
    measure : str
        What is promised, in words.
    """

    threshold: float
    accuracy: float
    confidence_level: float
    n_rows: int
    n_above: int
    rate: float
    more_rows: float = 0.0
    best: "Acceptance | None" = None
    exact: bool = True
    measure: str = "right sets"

    @property
    def met(self):
        """Whether the wish could be met."""
        return bool(self.threshold < np.inf)

    @property
    def share(self):
        """Share of the reviewed rows at or above the threshold."""
        return self.n_above / max(self.n_rows, 1)

    @property
    def which(self):
        """The accepted sets in words."""
        if self.threshold == -np.inf:
            return "every set"
        return f"from confidence {self.threshold:.3f} on"

    def __str__(self):
        kind = "Exact" if self.exact else "Approximate, no guarantee (rows predicted out of fold)"
        about = f"{kind}, {self.n_rows} reviewed rows, level {self.confidence_level:g}."
        if self.met:
            return (
                f"Accept {self.which}. Promised: {self.measure} "
                f"{self.accuracy:.3f} or more among all future accepted sets from the same "
                f"source; seen: {self.rate:.3f} of {self.n_above}. {about}"
            )
        best = (
            "nothing can be promised on these rows"
            if self.best is None
            else f"the best that can be promised is {self.best.accuracy:.3f}, {self.best.which}"
        )
        more = (
            f"about {self.more_rows:.0f} more reviewed rows would do"
            if np.isfinite(self.more_rows)
            else "more rows alone would not do, as no threshold tells such sets apart"
        )
        wish = f"{self.measure[0].upper()}{self.measure[1:]} {self.accuracy:.3f}"
        return f"{wish} cannot be promised: {best}; {more}. {about}"


def acceptance(confidence, value, plan, *, gain=None, exact=True, measure="right sets"):
    """Return the lowest confidence from which on sets can be accepted with a promise.

    Tests "of the sets at or above t a smaller share than `accuracy` is right" for the thresholds
    of the plan, in its order, exactly (binomial) for right or wrong and by bets for graded values.
    A test has the error that its starting point brings along, and that of the test before where
    this one was passed; the lowest threshold passed counts. However accuracy depends on
    confidence, and for every number of rows, a false promise has at most the probability
    1 - confidence_level.

    Where no test is passed, the exact lower bounds at the starting points hold at the same level,
    and the largest is the best that can be promised.

    The promise is about the share among all future accepted rows from the same source, not about
    one batch, row or subgroup. Of the few small samples that accept anything, many are lucky:
    the level counts all samples, those that accept nothing among them.

    Parameters
    ----------
    confidence : array of shape (n,)
        Of rows that nothing behind model, calibrator, decoder and plan has seen.
    value : array of shape (n,)
        1 where the set is right, 0 where not; or a measure in [0, 1]. NaN: the row does not count.
    plan : AcceptancePlan
    gain : array of shape (n,), optional
        What accepting each row saves: of the thresholds passed, the one that saves most counts.
        All of them keep the promise.
    exact : bool, default=True
        Whether model, calibrator and decoder were fixed beforehand.
    measure : str
        What the values are, for the words of the answer.

    Returns
    -------
    Acceptance

    References
    ----------
    Angelopoulos, Bates, Candes, Jordan, Lei (2021): Learn then test. arXiv:2110.01052.
    Wiens (2003): A fixed sequence Bonferroni procedure for testing multiple endpoints.
    Pharmaceutical Statistics 2.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.promise import AcceptancePlan, acceptance
    >>> c = np.random.default_rng(0).random(1000)
    >>> plan = AcceptancePlan.from_confidences(np.linspace(0, 1, 500), 1000, accuracy=0.9)
    >>> found = acceptance(c, c > 0.5, plan)
    >>> found.met, round(found.threshold, 2)
    (True, 0.49)
    """
    c, v = _read("confidence", confidence), _read("value", value, may_miss=True)
    if c.shape != v.shape:
        raise ValueError(
            f"confidence and value must be of one shape (n,), got {c.shape}, {v.shape}."
        )
    if not ((np.isnan(v)) | ((v >= 0.0) & (v <= 1.0))).all():
        raise ValueError("value must be 0 or 1, a measure in [0, 1], or NaN.")
    counted = ~np.isnan(v)
    c, v = c[counted], v[counted]
    above = [v[c >= t] for t in plan.thresholds]
    gains = None if gain is None else [gain[counted][c >= t].sum() for t in plan.thresholds]
    common = {"n_rows": len(c), "exact": exact, "measure": measure}
    passed = _passed(above, plan)
    if passed:
        chosen = passed[-1] if gains is None else max(passed, key=lambda j: gains[j])
        return _at(plan, chosen, plan.accuracy, above[chosen], **common)
    starts = np.flatnonzero(plan.shares)
    bounds = [lower_bound(above[j], plan.shares[j]) for j in starts]
    highest, best = max(bounds), starts[int(np.argmax(bounds))]
    return Acceptance(
        threshold=np.inf,
        accuracy=plan.accuracy,
        confidence_level=plan.confidence_level,
        n_above=0,
        rate=np.nan,
        more_rows=_more_rows(c, v, plan),
        best=_at(plan, best, highest, above[best], **common) if highest > 0.0 else None,
        **common,
    )


def _at(plan, number, accuracy, values, **common):
    """Return what is promised at one threshold of the plan."""
    return Acceptance(
        threshold=float(plan.thresholds[number]),
        accuracy=float(accuracy),
        confidence_level=plan.confidence_level,
        n_above=len(values),
        rate=float(values.mean()),
        **common,
    )


def _shares(n_rows, accuracy, risk):
    """Return the error at starting points that expect all rows, and always fewer.

    They change so slowly with the wish that p-values change faster, thanks to the weight of all
    rows: a lower wish passes all tests that a higher one does.
    """
    apart = STEPS_APART * np.log(STEP)
    room = np.log(n_rows * np.log(accuracy) / np.log(risk)) / apart  # down to rows that can pass
    weight = np.clip(room - np.arange(max(np.ceil(room), 1.0)), 0.0, 1.0)
    weight[0] = 1.0 / (apart * -np.log(risk))
    return risk * weight / weight.sum()


def _passed(above, plan):
    """Return the numbers of the thresholds whose tests are passed, falling."""
    numbers, level = [], 0.0
    for j, values in enumerate(above):
        level = plan.shares[j] + (level if numbers[-1:] == [j - 1] else 0.0)
        if level > 0.0 and mean_p_value(values, plan.accuracy) <= level:
            numbers.append(j)
    return numbers


def _more_rows(c, v, plan):
    """Return about how many more rows would pass a test, by the rates seen so far.

    An estimate may look at all: also at thresholds above those of the plan, which take more rows.
    """
    wish, risk = plan.accuracy, (1.0 - plan.confidence_level) / SHARED
    least = MARGIN * smallest_sample(wish, risk)
    n_above = np.arange(FEW, len(c) + 1)
    rate = (np.cumsum(v[np.argsort(-c, kind="stable")])[FEW - 1 :] + FEW * wish) / (n_above + FEW)
    n_above, rate = n_above[rate > wish], rate[rate > wish]
    if not len(rate):
        return np.inf
    z_level, z_power = norm.isf([risk, 1.0 - POWER])
    spread = z_level * np.sqrt(wish * (1 - wish)) + z_power * np.sqrt(rate * (1 - rate))
    needed = np.maximum((spread / (rate - wish)) ** 2, least) * len(c) / n_above
    return float(np.ceil(max(needed.min(), AT_LEAST * len(c)) - len(c)))


def _read(name, values, may_miss=False):
    array = as_numbers(values, name).astype(float)
    if array.ndim != 1:
        raise ValueError(f"{name} must have shape (n,), got {array.shape}.")
    if not may_miss and np.isnan(array).any():
        raise ValueError(f"{name} holds NaN; give one number per row.")
    return array
