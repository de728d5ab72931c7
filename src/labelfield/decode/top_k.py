"""The decision for precision at k."""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from labelfield._parameters import whole
from labelfield._typing import LabelArray
from labelfield.decode.base import Decoder
from labelfield.decode.linear import best_linear, pick, summed_gains
from labelfield.joints import Joint
from labelfield.joints._parts.rules import require_size
from labelfield.rules import LabelRules

__all__ = ["TopKDecoder"]


class TopKDecoder(Decoder):
    """The k most probable labels: best for precision at k.

    With rules that no set of k labels keeps, as many labels as come next to k.

    Parameters
    ----------
    k : int, default=3
        Number of labels named; all of them where there are fewer.
    allow_empty, min_size, max_size, allowed_sets
        Constraints on the answer, see `Decoder`; size bounds win over `k`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import IndependentJoint, TopKDecoder
    >>> joint = IndependentJoint.from_probabilities(np.array([[0.9, 0.2, 0.4]]))
    >>> TopKDecoder(k=2).decode(joint)
    array([[1, 0, 1]], dtype=uint8)
    """

    metric: ClassVar[str] = "precision_at_k"
    follows_device = True
    _adds_up = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Decoder._parameter_constraints,
        "k": [whole(1)],
    }

    def __init__(
        self,
        *,
        k: int = 3,
        allow_empty: bool | Literal["auto"] = "auto",
        min_size: int = 0,
        max_size: int | None = None,
        allowed_sets: ArrayLike | None = None,
    ) -> None:
        super().__init__(
            allow_empty=allow_empty, min_size=min_size, max_size=max_size, allowed_sets=allowed_sets
        )
        self.k = k

    def _best_sized(self, joint: Joint, smallest: int, largest: int) -> LabelArray:
        size = int(np.clip(self.k, smallest, largest))
        if joint.rules is not None:
            size = _allowed_size(joint.rules, size, smallest, largest)
        return best_linear(joint, joint.marginals(), size, size)

    def _best_listed(self, joint: Joint, sets: LabelArray) -> LabelArray:
        xp = joint.place.xp
        sizes = xp.sum(sets, axis=1, dtype=xp.int64)
        wanted = sizes == sizes[int(xp.argmin(xp.abs(sizes - self.k)))]
        gains = summed_gains(joint.marginals(), sets)
        return pick(sets, xp.where(wanted, gains, -np.inf))


def _allowed_size(rules: LabelRules, size: int, smallest: int, largest: int) -> int:
    """Return the size nearest to the wanted one, smaller ones first, that the rules allow."""
    for near in sorted(range(smallest, largest + 1), key=lambda s: (abs(s - size), s)):
        if rules.between(near, near).satisfiable:
            return near
    require_size(rules, smallest, largest)
    return size
