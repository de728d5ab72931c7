"""The decisions for macro-, micro- and samples-F1 by thresholds on the marginals."""

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from labelfield._parameters import at_least
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.decode.base import Decoder
from labelfield.decode.linear import best_linear
from labelfield.joints import Joint

__all__ = ["LabelThresholdDecoder"]

MAX_SHARED_CUTS = 512
TINY = 1e-12


class LabelThresholdDecoder(Decoder):
    """Labels whose marginal passes a learned threshold: macro-, micro- or samples-F1.

    Macro-F1 gets one threshold per label, micro-F1 and samples-F1 (the mean over rows) one for all.
    The best threshold of a label that few rows have is mostly chance, and may let nearly every row
    pass; it is drawn towards the one threshold of all labels, the more the fewer rows have it.
    Thresholds are learned from marginals of rows the model has not seen: a model with
    `decoder=LabelThresholdDecoder()` does that in `fit` by cross-validation; for a model that is
    fitted already call `fit` with held-out marginals.

    Parameters
    ----------
    average : {"macro", "micro", "samples"}, default="macro"
    prior_positives : float, default=5
        For macro-F1, how many rows with a label the shared threshold counts for: with as many, a
        label's threshold is half way between its best one and the shared one, in log-odds. 0 takes
        the best of every label.
    allow_empty : bool or "auto", default=True
        The plain reading of thresholds allows the empty set.
    min_size, max_size, allowed_sets
        Constraints on the answer, see `Decoder`.

    Attributes
    ----------
    thresholds_ : array of shape (L,)

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import IndependentJoint, LabelThresholdDecoder
    >>> P = np.array([[0.1, 0.2], [0.3, 0.4], [0.2, 0.8], [0.4, 0.6]])
    >>> Y = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> LabelThresholdDecoder(prior_positives=0).fit(P, Y).thresholds_
    array([0.25, 0.5 ])
    >>> decoder = LabelThresholdDecoder().fit(P, Y)
    >>> decoder.thresholds_.round(2)  # drawn towards that of both labels, 0.25
    array([0.25, 0.31])
    >>> decoder.decode(IndependentJoint.from_probabilities(np.array([[0.3, 0.3]])))
    array([[1, 0]], dtype=uint8)
    """

    metric: ClassVar[str] = "label_f1"
    exact = False
    needs_fit: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Decoder._parameter_constraints,
        "average": [StrOptions({"macro", "micro", "samples"})],
        "prior_positives": [at_least(0)],
    }

    def __init__(
        self,
        *,
        average: Literal["macro", "micro", "samples"] = "macro",
        prior_positives: float = 5.0,
        allow_empty: bool | Literal["auto"] = True,
        min_size: int = 0,
        max_size: int | None = None,
        allowed_sets: ArrayLike | None = None,
    ) -> None:
        super().__init__(
            allow_empty=allow_empty, min_size=min_size, max_size=max_size, allowed_sets=allowed_sets
        )
        self.average = average
        self.prior_positives = prior_positives

    def fit(self, P: ArrayLike, Y: ArrayLike) -> Self:
        """Learn the thresholds from held-out marginals P (n, L) and labels Y (n, L).

        Unknown labels (NaN in Y) are left out.
        """
        self._validate_params()
        P, Y = np.asarray(P, dtype=np.float64), np.asarray(Y, dtype=np.float64)
        if P.ndim != 2 or P.shape != Y.shape:
            raise ValueError(f"P and Y must have one shape (n, L); got {P.shape} and {Y.shape}.")
        known = ~np.isnan(Y)
        if self.average == "macro":
            self.thresholds_ = self._own_cuts(P, Y, known)
        elif self.average == "micro":
            self.thresholds_ = np.full(P.shape[1], _best_cut(P[known], Y[known]))
        else:
            self.thresholds_ = np.full(P.shape[1], _best_shared_cut(P, Y, known))
        return self

    def _own_cuts(self, P: FloatArray, Y: FloatArray, known: BoolArray) -> FloatArray:
        """Return a threshold for every label, drawn towards the shared one where few have it."""
        pairs = zip(P.T, Y.T, known.T)
        own = np.array([_best_cut(p[k], y[k]) for p, y, k in pairs])
        positives = np.where(known, Y, 0.0).sum(axis=0)
        if not self.prior_positives or not positives.any():
            return own
        shared = np.clip(_best_cut(P[known], Y[known]), TINY, 1.0 - TINY)
        share = positives / (positives + self.prior_positives)
        own = np.clip(own, TINY, 1.0 - TINY)
        cuts: FloatArray = expit(share * logit(own) + (1.0 - share) * logit(shared))
        return cuts

    def _gains(self, joint: Joint) -> FloatArray:
        check_is_fitted(
            self,
            "thresholds_",
            msg="The thresholds of this %(name)s are not learned yet: construct the model with "
            "decoder=... so that fit learns them, or call decoder.fit(P, Y) with held-out "
            "marginals.",
        )
        marginals = joint.marginals()
        if marginals.shape[1] != len(self.thresholds_):
            raise ValueError(
                f"This decoder learned thresholds for {len(self.thresholds_)} labels; "
                f"the joint has {marginals.shape[1]}."
            )
        gains: FloatArray = marginals - self.thresholds_
        return gains

    def _best_sized(self, joint: Joint, smallest: int, largest: int) -> LabelArray:
        return best_linear(joint, self._gains(joint), smallest, largest)

    def _best_listed(self, joint: Joint, sets: LabelArray) -> LabelArray:
        chosen: LabelArray = sets[(self._gains(joint) @ sets.T).argmax(axis=1)]
        return chosen


def _best_cut(p: FloatArray, y: FloatArray) -> float:
    """Return the threshold of best F1 for one column; 0.5 where there is nothing to learn from.

    With the scores sorted downwards, cutting after the t-th gives F1 = 2 hits_t / (t + positives).
    """
    if not y.any():
        return 0.5
    order = np.argsort(-p, kind="stable")
    p, hits = p[order], np.cumsum(y[order])
    f1 = 2.0 * hits / (np.arange(1, len(p) + 1) + hits[-1])
    below = np.append(p[1:], 0.0)
    f1[p == below] = -1.0  # a cut between equal scores does not exist
    best = int(np.argmax(f1))
    return float((p[best] + below[best]) / 2.0)


def _best_shared_cut(P: FloatArray, Y: FloatArray, known: BoolArray) -> float:
    """Return the one threshold of best mean F1 over rows (empty against empty counts 1)."""
    cuts = np.unique(np.quantile(P[known], np.linspace(0.0, 1.0, MAX_SHARED_CUTS + 1)))
    cuts = np.append((cuts[1:] + cuts[:-1]) / 2.0, 0.5)
    f1 = _mean_f1_above(cuts, np.where(known, P, -np.inf), np.where(known, Y, 0.0))
    return float(cuts[int(np.argmax(f1.round(12)))])  # rounded: the first of equal ones


def _mean_f1_above(cuts: FloatArray, P: FloatArray, Y: FloatArray) -> FloatArray:
    """Return the mean F1 over rows of the labels with P (n, L) above each of the cuts (c,).

    A label that a falling cut lets in changes the F1 of its row from that of the labels above it;
    so the mean at a cut is where it began plus all changes above the cut.
    """
    order = np.argsort(-P, axis=1, kind="stable")
    hits = np.take_along_axis(Y, order, axis=1).cumsum(axis=1)
    wanted = Y.sum(axis=1, keepdims=True)
    f1 = 2.0 * hits / (np.arange(1, Y.shape[1] + 1) + wanted)
    changes = np.diff(f1, axis=1, prepend=(wanted == 0).astype(np.float64)).ravel()
    scores = np.take_along_axis(P, order, axis=1).ravel()
    upwards = np.argsort(scores)
    above = np.append(changes[upwards][::-1].cumsum()[::-1], 0.0)
    summed: FloatArray = above[np.searchsorted(scores[upwards], cuts, side="right")]
    return (summed + np.count_nonzero(wanted == 0)) / len(Y)
