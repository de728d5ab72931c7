"""The calibrator that the data can afford."""

import numpy as np
from sklearn.base import clone

from labelfield._parameters import declare, number
from labelfield.calibrate.calibrators.base import SetCalibrator, cross_predict, deal_groups
from labelfield.calibrate.calibrators.boosted import BoostedSetCalibrator
from labelfield.calibrate.calibrators.identity import IdentitySetCalibrator
from labelfield.calibrate.calibrators.isotonic import IsotonicSetCalibrator
from labelfield.calibrate.calibrators.sigmoid import SigmoidSetCalibrator
from labelfield.calibrate.calibrators.tree import TreeSetCalibrator

__all__ = ["AutoSetCalibrator", "resolve_calibrator"]

MIN_BOOSTED_ROWS = 300


class AutoSetCalibrator(SetCalibrator):
    """The simplest of several calibrators that the data show to be better than simpler ones.

    Calibrators are compared by the square error (Brier score) of cross-validated confidences. Going
    from simple to flexible, the next one is taken only if it is better than the best so far by
    more than `margin` standard errors of the difference. The order is identity, sigmoid, isotonic,
    boosted (GB-KL). On small samples little passes that bar and the raw score stays.

    Parameters
    ----------
    cv : int, default=5
        Folds of the comparison.
    margin : float, default=1.0
        Standard errors by which a more flexible calibrator must win.
    random_state : int, Generator or None, default=0
        Deals the rows (groups) into folds.

    Attributes
    ----------
    chosen_ : SetCalibrator
        The one in use, fitted to all rows.
    comparison_ : dict of str to float
        Cross-validated Brier score of each calibrator tried.
    reason_ : str
        Why this one.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import AutoSetCalibrator
    >>> rng = np.random.default_rng(0)
    >>> score = rng.random(2000)
    >>> v = rng.random(2000) < score / 2
    >>> AutoSetCalibrator().fit(score[:, None], v).chosen_
    SigmoidSetCalibrator()
    """

    _parameter_constraints = declare("cv", "random_state", margin=[number()])

    def __init__(self, *, cv=5, margin=1.0, random_state=0):
        self.cv = cv
        self.margin = margin
        self.random_state = random_state

    def _fit(self, U, targets, weights, groups):
        names, member = np.unique(groups, return_inverse=True)
        ladder = {"identity": IdentitySetCalibrator()}
        if len(names) >= 2 * self.cv:
            ladder["sigmoid"] = SigmoidSetCalibrator()
            ladder["isotonic"] = IsotonicSetCalibrator()
        if len(names) >= MIN_BOOSTED_ROWS:
            ladder["boosted"] = BoostedSetCalibrator(loss="kl", random_state=self.random_state)
        part = deal_groups(groups, self.cv, self.random_state)
        best, errors = "identity", {}
        for name, calibrator in ladder.items():
            confidence = cross_predict(calibrator, U, targets, weights, groups, part)
            errors[name] = np.bincount(member, weights * (confidence - targets) ** 2)
            if _better(errors[best] - errors[name], self.margin):
                best = name
        self.comparison_ = {
            name: float(error.sum() / weights.sum()) for name, error in errors.items()
        }
        self.chosen_ = ladder[best].fit_targets(U, targets, weights, groups)
        self.reason_ = self._explain(best, len(names))

    def _predict(self, U):
        return self.chosen_.predict(U)

    def _explain(self, best, n_rows):
        others = [name for name in self.comparison_ if name != best]
        if not others:
            return f"{best}: {n_rows} rows are too few to compare calibrators"
        against = " and ".join(f"{self.comparison_[name]:.3f} of {name}" for name in others)
        return f"{best}: Brier {self.comparison_[best]:.3f} against {against} over {n_rows} rows"


def _better(gain, margin):
    """Return whether the mean gain (per group) exceeds `margin` of its standard errors."""
    return gain.mean() > margin * gain.std() / np.sqrt(len(gain))


CALIBRATORS = {
    "auto": AutoSetCalibrator,
    "boosted": BoostedSetCalibrator,
    "identity": IdentitySetCalibrator,
    "isotonic": IsotonicSetCalibrator,
    "sigmoid": SigmoidSetCalibrator,
    "tree": TreeSetCalibrator,
}


def resolve_calibrator(calibrator):
    """Return a new calibrator of a short name, or a clone of the one given."""
    if isinstance(calibrator, SetCalibrator):
        return clone(calibrator)
    if isinstance(calibrator, str) and calibrator in CALIBRATORS:
        return CALIBRATORS[calibrator]()
    raise ValueError(
        f"calibrator must be one of {', '.join(sorted(CALIBRATORS))} or a SetCalibrator; "
        f"got {calibrator!r}."
    )
