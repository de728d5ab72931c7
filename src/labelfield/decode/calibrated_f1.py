"""The decision for the F1 of each row with probabilities that held-out rows have corrected."""

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.isotonic import IsotonicRegression
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from labelfield import kernels
from labelfield._gate.validation import as_generator
from labelfield._parameters import whole
from labelfield._typing import FloatArray, IntArray, LabelArray
from labelfield.decode.f1 import F1Decoder
from labelfield.joints import Joint

__all__ = ["CalibratedF1Decoder"]

NOT_LEARNED = (
    "The curves of this %(name)s are not learned yet: construct the model with decoder=... so that "
    "fit learns them."
)


class CalibratedF1Decoder(F1Decoder):
    """F1 decisions from P(y_l = 1, |y| = s) with an isotonic curve for every frequent (l, s).

    A model with this decoder learns the curves in `fit`, from rows it has not seen. A pair of
    label and size with fewer than `min_positive` rows keeps the model's probability; and unless
    curves of other rows raise the F1 of held-out ones by more than `margin` standard errors, all
    of them do, so that few data change nothing.

    Parameters
    ----------
    min_positive : int, default=10
    margin : float, default=1.0
        Below zero the curves are used even where they do not help.
    cv : int, default=5
        Parts of the comparison.
    random_state : int, Generator or None, default=0
        Deals the rows into parts.
    allow_empty, min_size, max_size, allowed_sets
        Constraints on the answer, see `Decoder`.

    Attributes
    ----------
    cells_ : int array of shape (m, 2)
        Label and size of each curve; empty where the curves did not help.
    curves_ : list of m IsotonicRegression
    gain_, gain_error_ : float, float
        How much the curves raised the F1 of held-out rows, and its standard error.

    Examples
    --------
    >>> from labelfield import CalibratedF1Decoder, LabelPowerset
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=100, n_labels=3, random_state=0)
    >>> model = LabelPowerset(decoder=CalibratedF1Decoder()).fit(data.X, data.Y)
    >>> model.predict(data.X[:2]).shape
    (2, 3)
    """

    exact = False
    needs_fit: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **F1Decoder._parameter_constraints,
        "min_positive": [whole(1)],
        "margin": [Interval(Real, None, None, closed="neither")],
        "cv": [whole(2)],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        *,
        min_positive: int = 10,
        margin: float = 1.0,
        cv: int = 5,
        random_state: int | np.random.Generator | None = 0,
        allow_empty: bool | Literal["auto"] = "auto",
        min_size: int = 0,
        max_size: int | None = None,
        allowed_sets: ArrayLike | None = None,
    ) -> None:
        super().__init__(
            allow_empty=allow_empty, min_size=min_size, max_size=max_size, allowed_sets=allowed_sets
        )
        self.min_positive = min_positive
        self.margin = margin
        self.cv = cv
        self.random_state = random_state

    def evidence(self, joint: Joint, max_size: int) -> FloatArray:
        """Return P(y_l = 1, |y| = s) for s = 1..max_size: (n, L, max_size)."""
        return joint.size_marginals(max(max_size, 1))

    def fit(self, P: ArrayLike, Y: ArrayLike) -> Self:
        """Learn the curves from held-out probabilities P (n, L, S) and labels Y (n, L)."""
        self._validate_params()
        P, Y = np.asarray(P, dtype=np.float64), np.asarray(Y)
        if P.ndim != 3 or P.shape[:2] != Y.shape:
            raise ValueError(
                f"P must have shape (n, L, S) and Y (n, L); got {P.shape} and {Y.shape}."
            )
        if not np.isin(Y, (0, 1)).all():
            raise ValueError("Y must hold 0 and 1 only: sizes of sets with unknown labels are not.")
        Y = Y.astype(np.uint8)
        gain = self._held_out_gain(P, Y)
        self.gain_ = float(gain.mean())
        self.gain_error_ = float(gain.std() / np.sqrt(len(gain)))
        self.cells_: IntArray = np.empty((0, 2), dtype=np.intp)
        self.curves_: list[IsotonicRegression] = []
        if self.gain_ > self.margin * self.gain_error_:
            self.cells_, self.curves_ = self._learn(P, Y)
        return self

    def _held_out_gain(self, P: FloatArray, Y: LabelArray) -> FloatArray:
        """Return by how much curves of the other parts raise the F1 of each row: (n,)."""
        gain = np.zeros(len(Y))
        if len(Y) < 2 * self.cv or not self._cells(Y, P.shape[2]).size:
            return gain
        part = as_generator(self.random_state).permutation(np.arange(len(Y)) % self.cv)
        for number in range(self.cv):
            left_out = part == number
            cells, curves = self._learn(P[~left_out], Y[~left_out])
            before = _row_f1(P[left_out], Y[left_out])
            gain[left_out] = _row_f1(_apply(cells, curves, P[left_out]), Y[left_out]) - before
        return gain

    def _cells(self, Y: LabelArray, n_sizes: int) -> IntArray:
        """Return the pairs of label and size with enough positive rows: (m, 2)."""
        size = Y.sum(axis=1, dtype=np.intp)
        counts = np.stack([Y[size == s].sum(axis=0) for s in range(1, n_sizes + 1)], axis=1)
        label, index = np.nonzero(counts >= self.min_positive)
        return np.stack([label, index + 1], axis=1)

    def _learn(self, P: FloatArray, Y: LabelArray) -> tuple[IntArray, list[IsotonicRegression]]:
        size = Y.sum(axis=1, dtype=np.intp)
        cells = self._cells(Y, P.shape[2])
        curves = [
            IsotonicRegression(out_of_bounds="clip").fit(
                P[:, label, s - 1], (Y[:, label] == 1) & (size == s)
            )
            for label, s in cells
        ]
        return cells, curves

    def _size_tables(self, joint: Joint) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        check_is_fitted(self, "cells_", msg=NOT_LEARNED)
        for rows, table, empty in super()._size_tables(joint):
            yield rows, _apply(self.cells_, self.curves_, table), empty


def _apply(cells: IntArray, curves: list[IsotonicRegression], table: FloatArray) -> FloatArray:
    """Return a table (n, L, S) with the chosen cells passed through their curves."""
    if not len(cells):
        return table
    table = table.copy()
    for (label, size), curve in zip(cells, curves):
        if size <= table.shape[2]:
            table[:, label, size - 1] = curve.predict(table[:, label, size - 1])
    return table


def _row_f1(table: FloatArray, Y: LabelArray) -> FloatArray:
    """Return the F1 of the best non-empty set of each row, by a table (n, L, S): (n,)."""
    sets, _ = kernels.sets.gfm.maximize_f1(table, np.zeros(len(Y)), allow_empty=False)
    hits = (sets & Y).sum(axis=1)
    f1: FloatArray = 2.0 * hits / (sets.sum(axis=1, dtype=np.intp) + Y.sum(axis=1, dtype=np.intp))
    return f1
