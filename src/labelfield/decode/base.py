"""The contract of decoders, and the constraints they share."""

from abc import abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import StrOptions

from labelfield._parameters import whole
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.decode.linear import is_reachable
from labelfield.joints import Joint
from labelfield.joints._parts.arrays import as_sets
from labelfield.kernels.sets.bits import unique_sets

__all__ = ["Decoder"]


class Decoder(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Turns a joint into the label set that is best in expectation for one metric.

    Where the joint has rules (`joint.given_rules`), so have the answers: the best set is looked for
    among those that keep them.

    Parameters
    ----------
    allow_empty : "auto" or bool
        Whether the empty set may be the answer; "auto": only if it occurred in training.
    min_size, max_size : int, int or None
        Bounds of the number of labels in an answer.
    allowed_sets : array of shape (M, L), optional
        Answer with one of these sets.
    """

    metric: ClassVar[str]
    exact: bool = True
    needs_fit: ClassVar[bool] = False
    follows_device: ClassVar[bool] = False  # or else joints of tensors are copied to main memory
    _adds_up: ClassVar[bool] = False  # whether the metric is a sum over labels
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "allow_empty": ["boolean", StrOptions({"auto"})],
        "min_size": [whole(0)],
        "max_size": [whole(0), None],
        "allowed_sets": ["array-like", "sparse matrix", None],
    }

    def __init__(
        self,
        *,
        allow_empty: bool | Literal["auto"] = "auto",
        min_size: int = 0,
        max_size: int | None = None,
        allowed_sets: ArrayLike | None = None,
    ) -> None:
        self.allow_empty = allow_empty
        self.min_size = min_size
        self.max_size = max_size
        self.allowed_sets = allowed_sets

    def decode(self, joint: Joint, *, empty_seen: bool = True) -> LabelArray:
        """Return the best label set of each row of the joint.

        Parameters
        ----------
        joint : Joint of n rows
        empty_seen : bool
            Whether the empty set occurred in training; settles `allow_empty="auto"`.

        Returns
        -------
        Y : uint8 array of shape (n, L)
        """
        if joint.on_device and not self.follows_device:
            return joint.place.asarray(self.decode(joint.to_host(), empty_seen=empty_seen))
        smallest, largest, listed = self._choices(joint, empty_seen)
        if listed is None:
            return self._best_sized(joint, smallest, largest)
        return self._best_listed(joint, listed)

    def certified(self, joint: Joint, *, empty_seen: bool = True) -> BoolArray:
        """Return for which rows the decoded set is proven to be the best one: (n,).

        Where the numbers of the joint are approximations, nothing is proven.
        """
        self._choices(joint, empty_seen)
        sure = self.exact and joint.exact and (not self._adds_up or is_reachable(joint))
        return joint.constant(sure, "bool")

    def evidence(self, joint: Joint, max_size: int) -> FloatArray:
        """Return what a decoder that learns from data is fitted to, one entry per row.

        Parameters
        ----------
        joint : Joint of n rows
        max_size : int
            The largest set of the training data.
        """
        del max_size
        return joint.marginals()

    @abstractmethod
    def _best_sized(self, joint: Joint, smallest: int, largest: int) -> LabelArray:
        """Return the best sets with between `smallest` and `largest` labels."""

    @staticmethod
    def _answer_room(joint: Joint) -> LabelArray:
        """Return room for a set of every row, where the joint is: (n, L)."""
        room: LabelArray = joint.place.empty((len(joint), joint.n_labels), "uint8")
        return room

    @abstractmethod
    def _best_listed(self, joint: Joint, sets: LabelArray) -> LabelArray:
        """Return the best of the listed sets (M, L) for each row; they are where the joint is."""

    def _choices(self, joint: Joint, empty_seen: bool) -> tuple[int, int, LabelArray | None]:
        """Return the smallest and the largest size of an answer, and the listed sets if any."""
        self._validate_params()
        smallest, largest = self._size_bounds(joint.n_labels, empty_seen)
        if self.allowed_sets is None:
            return smallest, largest, None
        listed = self._listed_sets(joint.n_labels, smallest, largest)
        if joint.rules is not None:
            listed = listed[joint.rules.keeps(listed)]
            if not len(listed):
                raise ValueError("None of the allowed_sets keeps the rules; list others.")
        return smallest, largest, joint.place.asarray(listed)

    def _size_bounds(self, n_labels: int, empty_seen: bool) -> tuple[int, int]:
        allow_empty = empty_seen if self.allow_empty == "auto" else self.allow_empty
        smallest = self.min_size if allow_empty else max(self.min_size, 1)
        largest = n_labels if self.max_size is None else min(int(self.max_size), n_labels)
        if smallest > largest:
            raise ValueError(
                f"No set of {n_labels} labels fits min_size={self.min_size}, "
                f"max_size={self.max_size}, allow_empty={self.allow_empty!r}: "
                f"it would need between {smallest} and {largest} labels."
            )
        return int(smallest), largest

    def _listed_sets(self, n_labels: int, smallest: int, largest: int) -> LabelArray:
        sets = as_sets(self.allowed_sets, "allowed_sets")
        if sets.ndim != 2 or sets.shape[1] != n_labels:
            raise ValueError(
                f"allowed_sets must have shape (n_sets, {n_labels}); got {sets.shape}."
            )
        sizes = sets.sum(axis=1, dtype=np.intp)
        kept = unique_sets(sets[(sizes >= smallest) & (sizes <= largest)])
        if len(kept) == 0:
            raise ValueError(
                f"None of the {len(sets)} allowed_sets has between {smallest} and {largest} labels."
            )
        return kept
