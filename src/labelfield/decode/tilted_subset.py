"""The decision for exact match with weights of the labels that held-out rows have learned."""

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from sklearn.utils.validation import check_is_fitted

from labelfield._parameters import at_least, whole
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.decode.subset import SubsetDecoder
from labelfield.joints import Joint

__all__ = ["TiltedSubsetDecoder"]

SHARPNESS = 6.0  # of the share of the true set that stands for "it is the best one"
ALPHA = 1.0  # strength of the penalty on the weights, against the summed shares
MAX_ITER = 60
N_PARTS = 2


class TiltedSubsetDecoder(SubsetDecoder):
    """The set of largest log p(y) + sum_l t_l y_l, its weights t learned for exact match.

    The most probable set is the best answer of a law that is right. Laws are not: where features
    say little, frequent labels win too often. A model with this decoder learns in `fit` how much
    to add for every label, from rows it has not seen; unless weights of other rows raise the exact
    match of held-out ones by more than `margin` standard errors, nothing is added.

    Parameters
    ----------
    n_candidates : int, default=10
        Most probable sets of a row that are looked at while learning.
    margin : float, default=2.0
    allow_empty, min_size, max_size, allowed_sets
        Constraints on the answer, see `Decoder`.

    Attributes
    ----------
    tilt_ : array of shape (L,)
    gain_, gain_error_ : float, float
        How much the weights raised the exact match of held-out rows, and its standard error.

    Examples
    --------
    A distribution that gives the second label too little:

    >>> import numpy as np
    >>> from labelfield import IndependentJoint, TiltedSubsetDecoder
    >>> rng = np.random.default_rng(0)
    >>> log_odds = 3.0 * rng.normal(size=(500, 2))
    >>> Y = rng.random((500, 2)) < 1 / (1 + np.exp(-log_odds))
    >>> joint = IndependentJoint(log_odds - [0.0, 2.0])
    >>> decoder = TiltedSubsetDecoder()
    >>> tilt = decoder.fit(decoder.evidence(joint, 2), Y).tilt_
    >>> bool(abs(tilt[0]) < 1.0 < tilt[1])
    True
    """

    exact = False
    follows_device = False
    needs_fit: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubsetDecoder._parameter_constraints,
        "n_candidates": [whole(2)],
        "margin": [at_least(0)],
    }

    def __init__(
        self,
        *,
        n_candidates: int = 10,
        margin: float = 2.0,
        allow_empty: bool | Literal["auto"] = "auto",
        min_size: int = 0,
        max_size: int | None = None,
        allowed_sets: ArrayLike | None = None,
    ) -> None:
        super().__init__(
            allow_empty=allow_empty, min_size=min_size, max_size=max_size, allowed_sets=allowed_sets
        )
        self.n_candidates = n_candidates
        self.margin = margin

    def evidence(self, joint: Joint, max_size: int) -> FloatArray:
        """Return the k best sets with their log-probabilities behind them: (n, k, L + 1)."""
        del max_size
        sets, log_prob = joint.top_k(self.n_candidates)
        room = np.zeros((len(joint), self.n_candidates, joint.n_labels + 1), dtype=np.float32)
        room[:, :, -1] = -np.inf
        room[:, : sets.shape[1], :-1], room[:, : sets.shape[1], -1] = sets, log_prob
        return room

    def fit(self, P: ArrayLike, Y: ArrayLike) -> Self:
        """Learn the weights from the `evidence` of held-out rows, (n, k, L + 1), and labels (n, L).

        Rows with unknown labels (NaN in Y) say nothing.
        """
        self._validate_params()
        seen: FloatArray = np.asarray(P, dtype=np.float32)
        truth: FloatArray = np.asarray(Y, dtype=np.float64)
        given = (len(seen), seen.shape[-1])
        if seen.ndim != 3 or truth.ndim != 2 or given != (len(truth), truth.shape[1] + 1):
            raise ValueError(
                f"P must have shape (n, k, L + 1) and Y (n, L); got {seen.shape}, {truth.shape}."
            )
        complete = ~np.isnan(truth).any(axis=1)
        seen, truth = seen[complete], truth[complete]
        sets, log_prob = seen[:, :, :-1], seen[:, :, -1]
        if truth.any(axis=1).all():  # nothing is no answer
            log_prob = np.where(sets.any(axis=2), log_prob, -np.inf)
        right = (sets == truth[:, None, :]).all(axis=2) & (log_prob > -np.inf)
        self._learn(sets, log_prob, right)
        return self

    def _learn(self, sets: FloatArray, log_prob: FloatArray, right: BoolArray) -> None:
        """Learn the weights; keep them if those of one half help the other."""
        part = np.arange(len(sets)) % N_PARTS
        gain = np.zeros(len(sets))
        for number in range(N_PARTS):
            rows, others = part == number, part != number
            tilt = _best_tilt(sets[others], log_prob[others], right[others])
            before, after = (_hits(sets[rows], log_prob[rows], right[rows], t) for t in (0, tilt))
            gain[rows] = after.astype(float) - before
        self.gain_, self.gain_error_ = 0.0, 0.0
        if len(gain):
            self.gain_, self.gain_error_ = float(gain.mean()), float(gain.std() / len(gain) ** 0.5)
        helps = self.gain_ > self.margin * self.gain_error_
        self.tilt_ = _best_tilt(sets, log_prob, right) if helps else np.zeros(sets.shape[2])

    def _best_sized(self, joint: Joint, smallest: int, largest: int) -> LabelArray:
        return super()._best_sized(self._tilted(joint), smallest, largest)

    def _best_listed(self, joint: Joint, sets: LabelArray) -> LabelArray:
        return super()._best_listed(self._tilted(joint), sets)

    def _tilted(self, joint: Joint) -> Joint:
        check_is_fitted(
            self,
            "tilt_",
            msg="The weights of this %(name)s are not learned yet: construct the model with "
            "decoder=... so that fit learns them.",
        )
        if joint.n_labels != len(self.tilt_):
            raise ValueError(
                f"This decoder learned weights of {len(self.tilt_)} labels; "
                f"the joint has {joint.n_labels}."
            )
        if not self.tilt_.any():
            return joint
        return joint.tilt(self.tilt_)


def _best_tilt(sets: FloatArray, log_prob: FloatArray, right: BoolArray) -> FloatArray:
    """Return the weights (L,) with the largest sum of sharpened shares of the true sets."""
    found = right.any(axis=1)  # rows whose true set is no candidate cannot be won
    sets, log_prob, right = sets[found], log_prob[found], right[found]

    def objective(tilt: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = _lost_share(tilt.astype(np.float32), sets, log_prob, right)
        return value + 0.5 * ALPHA * float(tilt @ tilt), gradient + ALPHA * tilt

    start = np.zeros(sets.shape[2])
    best: FloatArray = minimize(
        objective, start, jac=True, method="L-BFGS-B", options={"maxiter": MAX_ITER}
    ).x
    return best


def _lost_share(
    tilt: FloatArray, sets: FloatArray, log_prob: FloatArray, right: BoolArray
) -> tuple[float, FloatArray]:
    """Return minus the summed share of the true sets in p^SHARPNESS, and its gradient (L,)."""
    scores = SHARPNESS * (log_prob + sets @ tilt)
    share = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-1e30))
    share /= share.sum(axis=1, keepdims=True)
    won = (share * right).sum(axis=1, keepdims=True)
    slope = SHARPNESS * won * (share - right)
    return -float(won.sum(dtype=np.float64)), np.tensordot(slope, sets, 2).astype(np.float64)


def _hits(
    sets: FloatArray, log_prob: FloatArray, right: BoolArray, tilt: FloatArray | int
) -> BoolArray:
    """Return which rows have their true set on top: (n,)."""
    scores = log_prob + (sets @ np.asarray(tilt, dtype=np.float32) if np.ndim(tilt) else 0.0)
    hits: BoolArray = np.take_along_axis(right, scores.argmax(axis=1)[:, None], axis=1)[:, 0]
    return hits
