"""How kernels are given a graph: the cliques of labels, and the tables of an elimination."""

from typing import NamedTuple

from labelfield._typing import IntArray, LabelArray

__all__ = ["Cliques", "EliminationPlan"]


class Cliques(NamedTuple):
    """C cliques of L labels.

    Clique c holds the labels members[offsets[c] : offsets[c + 1]]; label l belongs to the cliques
    incident[starts[l] : starts[l + 1]].
    """

    members: IntArray
    offsets: IntArray  # (C + 1,)
    starts: IntArray  # (L + 1,)
    incident: IntArray


class EliminationPlan(NamedTuple):
    """Labels in the order of their elimination, one step each.

    The separator of a step holds the labels coupled to its label at that moment, all of them
    eliminated later. Its configurations are numbered in binary, the label eliminated first being
    the highest digit. A step hands a message over its separator to a later step, which finds it by
    `child_cell`: first for its own label absent, then for it present.
    """

    label: IntArray  # (L,) the label each step eliminates
    start: IntArray  # (L + 1,) first cell of each step's separator; 2^|separator| cells
    separator_start: IntArray  # (L + 1,)
    separator: IntArray  # labels of the separators
    pair: IntArray  # the clique of the step's label and that label of its separator, or -1
    clique_start: IntArray  # (L + 1,) larger cliques each step accounts for
    clique: IntArray
    mask: IntArray  # digits of the separator that hold the clique's other labels
    child_start: IntArray  # (L + 1,) earlier steps that hand their message to this one
    child: IntArray  # (L - 1,)
    child_cell_start: IntArray  # (L - 1,) where in `child_cell` those of the child begin
    child_cell: IntArray  # cell of the child's message for every configuration of the parent
    barred: LabelArray  # per cell: 1 if absent, 2 if present is impossible; empty without rules
