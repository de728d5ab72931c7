"""Reads and writes of the record. What `decide` returned is on the disk."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from labelfield.desk.record.database import moment, open_engine
from labelfield.desk.record.errors import (
    AlreadyDecidedError,
    KeyReusedError,
    NothingToUndoError,
    StaleCaseError,
)
from labelfield.desk.record.settling import Answer, settle
from labelfield.desk.record.tables import cases, decisions, models, notes, showings

__all__ = ["Decision", "Record", "Saved", "standing", "withdrawn"]

withdrawn = select(decisions.c.withdraws).where(decisions.c.withdraws.is_not(None))
standing = decisions.c.verdict.in_(("set", "unsure")) & decisions.c.id.not_in(withdrawn)


@dataclass(frozen=True)
class Decision:
    """What a reviewer says about a case.

    key names this decision: sent again, it is not saved again. version is that of the case as it
    was shown. labels is None for "cannot decide". trail lists labels as they were switched. model
    is the number of the one behind what was shown, by default that of the case.
    """

    case: int
    version: int
    key: str
    reviewer: str
    labels: tuple[str, ...] | None
    note: str = ""
    showing: int | None = None
    seconds: float | None = None
    trail: tuple[str, ...] = ()
    model: int | None = None


@dataclass(frozen=True)
class Saved:
    """A decision that is on the disk, and where its case stands now."""

    id: int
    case: int
    version: int
    status: str
    repeated: bool = False


class Record:
    """The record of a desk, in a file or in a database.

    Parameters
    ----------
    place : path or str
        A file (SQLite), made if it is not there, or the address of a database, such as
        "postgresql://anna@localhost/desk".

    Examples
    --------
    >>> from labelfield.desk.record import Record
    >>> record = Record("example.review")
    >>> record.count_by_status()
    {}
    >>> record.close()
    """

    def __init__(self, place: Any) -> None:
        self.place = place
        self.engine = open_engine(place)
        self._writer = self.engine.execution_options(writing=True)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read with."""
        with self.engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection whose changes are on the disk when the block ends, or not made at all."""
        with self._writer.begin() as connection:
            yield connection

    def register_model(self, **about: Any) -> int:
        """Remember a model and the promise made with it; return its number."""
        columns = [models.c[name] for name in about]
        with self.writing() as connection:
            for row in connection.execute(select(models.c.id, *columns)):
                if all(row._mapping[name] == value for name, value in about.items()):
                    return int(row.id)
            made = connection.execute(insert(models).values(**about, added=moment()))
            return int(made.inserted_primary_key[0])

    def case(self, id: int) -> Row[Any] | None:
        """Return the row of a case, None if there is no such case."""
        with self.reading() as connection:
            return connection.execute(select(cases).where(cases.c.id == id)).first()

    def count_by_status(self) -> dict[str, int]:
        """Return how many cases are accepted, open, in conflict and settled."""
        counted = select(cases.c.status, func.count()).group_by(cases.c.status)
        with self.reading() as connection:
            return dict(connection.execute(counted).all())

    def show(self, case: int, reviewer: str, blind: bool, content: Mapping[str, Any]) -> int:
        """Remember what a reviewer is shown; return the number of the showing."""
        shown = insert(showings).values(
            case=case, reviewer=reviewer, blind=blind, content=dict(content), shown=moment()
        )
        with self.writing() as connection:
            return int(connection.execute(shown).inserted_primary_key[0])

    def decide(self, decision: Decision) -> Saved:
        """Save a decision; when this returns, it is on the disk.

        Raises
        ------
        StaleCaseError
            If the case is of another version: somebody else was quicker.
        AlreadyDecidedError
            If the reviewer has a standing decision about this case.
        KeyReusedError
            If the key came before, with another decision.
        """
        try:
            with self.writing() as connection:
                return _decide(connection, decision)
        except IntegrityError:  # the same key, or the same version, at the same moment
            with self.writing() as connection:
                return _decide(connection, decision)

    def withdraw(self, reviewer: str, key: str) -> Saved:
        """Withdraw the reviewer's last standing decision; the case is open again for all.

        Raises
        ------
        NothingToUndoError
        """
        with self.writing() as connection:
            known = _by_key(connection, key)
            if known is not None:
                if (known.reviewer, known.verdict) != (reviewer, "withdrawn"):
                    raise KeyReusedError(
                        f"The key {key!r} names another decision; use a fresh one."
                    )
                return _as_saved(connection, known)
            last = connection.execute(
                select(decisions)
                .where(standing, decisions.c.reviewer == reviewer)
                .order_by(decisions.c.id.desc())
                .limit(1)
            ).first()
            if last is None:
                raise NothingToUndoError(f"{reviewer} has no decision to undo.")
            case = _locked_case(connection, last.case)
            return _append(
                connection,
                case,
                {
                    "reviewer": reviewer,
                    "key": key,
                    "verdict": "withdrawn",
                    "withdraws": last.id,
                    "model": last.model,
                },
            )

    def history(self, case: int) -> list[dict[str, Any]]:
        """Return all decisions about a case in their order, notes among them."""
        wanted = (
            select(decisions, notes.c.text.label("note"))
            .outerjoin(notes, notes.c.decision == decisions.c.id)
            .where(decisions.c.case == case)
            .order_by(decisions.c.id)
        )
        with self.reading() as connection:
            return [dict(row._mapping) for row in connection.execute(wanted)]


def _decide(connection: Connection, decision: Decision) -> Saved:
    case = _locked_case(connection, decision.case)  # first, so that the same key waits here
    known = _by_key(connection, decision.key)
    if known is not None:
        return _repeated(connection, known, decision)
    if case.version != decision.version:
        raise StaleCaseError(
            f"Case {case.name!r} has changed since it was shown (version {decision.version} is "
            f"now {case.version}); load it again."
        )
    earlier = standing & (decisions.c.case == case.id) & (decisions.c.reviewer == decision.reviewer)
    if connection.execute(select(decisions.c.id).where(earlier)).first() is not None:
        raise AlreadyDecidedError(
            f"{decision.reviewer} has decided case {case.name!r}; undo it first."
        )
    values = {
        "reviewer": decision.reviewer,
        "key": decision.key,
        "verdict": "unsure" if decision.labels is None else "set",
        "labels": None if decision.labels is None else list(decision.labels),
        "showing": decision.showing,
        "seconds": decision.seconds,
        "trail": list(decision.trail),
        "model": decision.model or case.model,
    }
    saved = _append(connection, case, values)
    if decision.note:
        note = {"case": case.id, "decision": saved.id, "text": decision.note}
        connection.execute(insert(notes).values(**note))
    return saved


def _append(connection: Connection, case: Row[Any], values: dict[str, Any]) -> Saved:
    """Add a decision and let the case follow from all that stand."""
    version = case.version + 1
    made = connection.execute(
        insert(decisions).values(case=case.id, version=version, decided=moment(), **values)
    )
    state = settle(_answers(connection, case.id), case.needed)
    connection.execute(
        update(cases)
        .where(cases.c.id == case.id)
        .values(
            version=version,
            status=state.status,
            final=None if state.final is None else list(state.final),
            lease_by=None,
            lease_until=None,
        )
    )
    return Saved(int(made.inserted_primary_key[0]), case.id, version, state.status)


def _answers(connection: Connection, case: int) -> Sequence[Answer]:
    rows = connection.execute(
        select(decisions.c.reviewer, decisions.c.verdict, decisions.c.labels)
        .where(standing, decisions.c.case == case)
        .order_by(decisions.c.id)
    )
    return [
        Answer(one.reviewer, tuple(one.labels) if one.verdict == "set" else None) for one in rows
    ]


def _locked_case(connection: Connection, id: int) -> Row[Any]:
    case = connection.execute(select(cases).where(cases.c.id == id).with_for_update()).first()
    if case is None:
        raise ValueError(f"There is no case number {id}.")
    return case


def _by_key(connection: Connection, key: str) -> Row[Any] | None:
    return connection.execute(select(decisions).where(decisions.c.key == key)).first()


def _repeated(connection: Connection, known: Row[Any], decision: Decision) -> Saved:
    same = (known.case, known.reviewer, known.labels) == (
        decision.case,
        decision.reviewer,
        None if decision.labels is None else list(decision.labels),
    )
    if not same:
        raise KeyReusedError(f"The key {decision.key!r} names another decision; use a fresh one.")
    return _as_saved(connection, known)


def _as_saved(connection: Connection, known: Row[Any]) -> Saved:
    status = connection.scalar(select(cases.c.status).where(cases.c.id == known.case))
    return Saved(known.id, known.case, known.version, str(status), repeated=True)
