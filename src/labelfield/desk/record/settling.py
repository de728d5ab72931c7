"""What the answers of reviewers make of a case."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Answer", "State", "settle"]


@dataclass(frozen=True)
class Answer:
    """What one reviewer said: a set of labels, or None for "cannot decide"."""

    reviewer: str
    labels: tuple[str, ...] | None


@dataclass(frozen=True)
class State:
    """Where a case stands: open, conflict or settled, and with which labels."""

    status: str
    final: tuple[str, ...] | None = None


def settle(answers: Sequence[Answer], needed: int) -> State:
    """Return the state of a case after answers, in their order, of which none was withdrawn.

    `needed` reviewers must name the same set. Where they do not, the next one decides. Who cannot
    decide leaves the case to others.

    Examples
    --------
    >>> from labelfield.desk.record.settling import Answer, settle
    >>> first, second = Answer("anna", ("flu",)), Answer("ben", ("flu", "fever"))
    >>> settle([first], needed=1)
    State(status='settled', final=('flu',))
    >>> settle([first, second], needed=2).status
    'conflict'
    >>> settle([first, second, Answer("carl", ("fever",))], needed=2).final
    ('fever',)
    """
    sets = [answer.labels for answer in answers if answer.labels is not None]
    if len(sets) < needed:
        return State("open")
    if len(set(sets[:needed])) == 1:
        return State("settled", sets[0])
    return State("conflict") if len(sets) == needed else State("settled", sets[needed])
