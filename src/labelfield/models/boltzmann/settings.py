"""How a conditional restricted Boltzmann machine learns, and how it fills in labels."""

from dataclasses import dataclass
from typing import ClassVar

from labelfield._parameters import Settings, at_least, choice, whole
from labelfield.models.boltzmann.recovery import STARTS

__all__ = ["ContrastiveDivergence", "LabelRecovery"]


@dataclass(frozen=True)
class ContrastiveDivergence(Settings):
    """How `ConditionalRBM(training=...)` learns its weights.

    Parameters
    ----------
    n_steps : int or "exact", default=1
        Steps k of the chain. "exact" sums over all label sets instead, for up to 16 labels.
    persistent : bool, default=True
        Whether each row's chain goes on where it was left, instead of starting at the data.
    centered : bool, default=True
        Whether both layers are centred in the gradient. Otherwise, as published, all hidden units
        tend to learn the same.
    learning_rate : float, default=0.05
        Step size of Adagrad.
    coupling_scale : float, default=0.1
        Deviation of the random couplings G at the start.
    batch_size : int, default=100

    Examples
    --------
    >>> from labelfield import ConditionalRBM, ContrastiveDivergence
    >>> ConditionalRBM(training=ContrastiveDivergence(learning_rate=0.02)).training.n_steps
    1
    """

    n_steps: int | str = 1
    persistent: bool = True
    centered: bool = True
    learning_rate: float = 0.05
    coupling_scale: float = 0.1
    batch_size: int = 100

    _parameter_constraints: ClassVar[dict] = {
        "n_steps": [whole(1), choice("exact")],
        "persistent": ["boolean"],
        "centered": ["boolean"],
        "learning_rate": [at_least(0)],
        "coupling_scale": [at_least(0)],
        "batch_size": [whole(1)],
    }


@dataclass(frozen=True)
class LabelRecovery(Settings):
    """How `ConditionalRBM(recovery=...)` fills in labels that are not known.

    Parameters
    ----------
    how : {"sample", "viterbi", None}, default="sample"
        Drawn anew in every epoch given the others; set to the best guess every so many epochs;
        left at 0.
    after : int, default=10
        Epochs before labels are first filled in.
    every : int, default=5
        Epochs between two best guesses.
    start : {"meanfield", "bias", "paper"}, default="meanfield"
        Where the climb to a best guess starts: mean field; sigmoid(W x + b); sigmoid(W x).
    flips : bool, default=False
        Whether the climb ends with flips of single labels.

    Examples
    --------
    >>> from labelfield import ConditionalRBM, LabelRecovery
    >>> ConditionalRBM(recovery=LabelRecovery("viterbi", after=5)).recovery.every
    5
    """

    how: str | None = "sample"
    after: int = 10
    every: int = 5
    start: str = "meanfield"
    flips: bool = False

    _parameter_constraints: ClassVar[dict] = {
        "how": [choice("sample", "viterbi"), None],
        "after": [whole(0)],
        "every": [whole(1)],
        "start": [choice(*STARTS)],
        "flips": ["boolean"],
    }

    @classmethod
    def read(cls, recovery):
        """Return settings as they are, or those of the given way."""
        return recovery if isinstance(recovery, cls) else cls(recovery)
