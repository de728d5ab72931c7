"""Which labels are coupled, in the form kernels take it."""

from typing import NamedTuple

from labelfield._typing import IntArray

__all__ = ["Cliques"]


class Cliques(NamedTuple):
    """C cliques of L labels.

    Clique c holds the labels members[offsets[c] : offsets[c + 1]]; label l belongs to the cliques
    incident[starts[l] : starts[l + 1]].
    """

    members: IntArray
    offsets: IntArray  # (C + 1,)
    starts: IntArray  # (L + 1,)
    incident: IntArray
