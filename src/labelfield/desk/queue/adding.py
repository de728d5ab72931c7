"""Cases enter the queue: what is accepted, what is audited, who comes first."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, insert, select, update

from labelfield.desk.record.database import moment
from labelfield.desk.record.record import Record
from labelfield.desk.record.tables import cases, draws

__all__ = ["Added", "NewCase", "add_cases"]

BATCH = 500


@dataclass(frozen=True)
class NewCase:
    """A case as a model sees it: its name, what is shown of it, the predicted set.

    confidence is the probability that the set is right, None where the model states none; cost is
    what a wrong set costs.
    """

    name: str
    fields: dict[str, Any]
    predicted: tuple[str, ...]
    confidence: float | None
    accepted: bool
    cost: float = 1.0

    @property
    def gain(self) -> float:
        """Expected gain of a look at the case: P(wrong) times the cost."""
        return (1.0 if self.confidence is None else 1.0 - self.confidence) * self.cost


@dataclass(frozen=True)
class Added:
    """How many cases were new, known before, accepted without review, and drawn for the audit."""

    new: int
    known: int
    accepted: int
    audited: int


def add_cases(
    record: Record,
    model: int,
    new: Sequence[NewCase],
    *,
    audit_rate: float = 0.05,
    double_rate: float = 0.0,
    seed: str | None = None,
) -> Added:
    """Add cases that the record does not hold yet, and hand undecided ones over to the model.

    Of the accepted cases each is drawn for the audit with probability `audit_rate`; it then waits
    among the others, at a random place. Two reviewers are asked about a share `double_rate` of
    all cases that wait. The seed of the draws is kept, so that they can be repeated.
    """
    for name, rate in (("audit_rate", audit_rate), ("double_rate", double_rate)):
        if not 0.0 <= rate <= 1.0:
            raise ValueError(f"{name} must lie between 0 and 1; got {rate!r}.")
    seed = secrets.token_hex(16) if seed is None else seed
    rng = np.random.default_rng(int(seed, 16))
    with record.writing() as connection:
        fresh = _unknown_to(connection, model, new)
        if not fresh:
            return Added(0, len(new), 0, 0)
        accepted = np.array([case.accepted for case in fresh], dtype=bool)
        audited = accepted & (rng.random(len(fresh)) < audit_rate)
        doubled = rng.random(len(fresh)) < double_rate
        gains = np.array([case.gain for case in fresh])
        if (~accepted).any():  # the place in the queue must not tell that nothing is ticked
            gains[audited] = rng.choice(gains[~accepted], audited.sum())
        drawn = connection.execute(
            insert(draws).values(
                model=model,
                audit_rate=audit_rate,
                double_rate=double_rate,
                seed=seed,
                accepted=int(accepted.sum()),
                audited=int(audited.sum()),
                made=moment(),
            )
        ).inserted_primary_key[0]
        rows = [
            {
                "name": case.name,
                "fields": case.fields,
                "predicted": list(case.predicted),
                "confidence": case.confidence,
                "model": model,
                "draw": drawn,
                "accepted": case.accepted,
                "audit": bool(audit),
                "priority": float(gain),
                "needed": 2 if double else 1,
                "status": "accepted" if case.accepted and not audit else "open",
                "version": 0,
                "added": moment(),
            }
            for case, audit, double, gain in zip(fresh, audited, doubled, gains)
        ]
        known = _write(connection, rows)
    return Added(
        len(rows) - known, len(new) - len(rows) + known, *map(int, (accepted.sum(), audited.sum()))
    )


def _unknown_to(connection: Connection, model: int, new: Sequence[NewCase]) -> list[NewCase]:
    """Return the cases that are not there, or wait there undecided with another model."""
    repeated = len(new) - len({case.name for case in new})
    if repeated:
        raise ValueError(f"{repeated} cases share the name of another; names must differ.")
    there = {row.name: row for row in connection.execute(select(cases))}
    for case in new:
        known = there.get(case.name)
        if known is not None and known.fields not in (None, case.fields):
            raise ValueError(
                f"The record holds a case called {case.name!r} with other fields; name cases by a "
                "column of their own (--id), or use another record."
            )
    kept = {name for name, row in there.items() if row.model == model or row.version > 0}
    return [case for case in new if case.name not in kept]


def _write(connection: Connection, rows: list[dict[str, Any]]) -> int:
    """Write the rows of cases; return how many replaced what an earlier model had said."""
    there = {name: id for id, name in connection.execute(select(cases.c.id, cases.c.name))}
    fresh = [row for row in rows if row["name"] not in there]
    for start in range(0, len(fresh), BATCH):
        connection.execute(insert(cases), fresh[start : start + BATCH])
    replaced = [row for row in rows if row["name"] in there]
    for row in replaced:
        connection.execute(update(cases).where(cases.c.id == there[row["name"]]).values(**row))
    return len(replaced)
