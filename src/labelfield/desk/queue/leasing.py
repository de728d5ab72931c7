"""Leases: a case that one reviewer looks at is not given to another."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, case, or_, select, update

from labelfield.desk.record.database import moment
from labelfield.desk.record.record import Record, standing
from labelfield.desk.record.tables import cases, decisions

__all__ = ["LEASE_SECONDS", "keep_lease", "lease_next", "release"]

LEASE_SECONDS = 600.0
WAITING = ("open", "conflict")


def lease_next(
    record: Record,
    reviewer: str,
    *,
    passed: Sequence[int] = (),
    seconds: float = LEASE_SECONDS,
) -> Row[Any] | None:
    """Give the reviewer the case of the largest expected gain, None if nothing waits for them.

    A case they already hold comes first. Left out are cases that others hold, that they have
    decided, and those they passed over.
    """
    decided = select(decisions.c.case).where(standing, decisions.c.reviewer == reviewer)
    with record.writing() as connection:
        found = connection.execute(
            select(cases)
            .where(
                cases.c.status.in_(WAITING),
                cases.c.id.not_in(decided),
                cases.c.id.not_in(passed),
                _free_for(reviewer),
            )
            .order_by(
                case((cases.c.lease_by == reviewer, 0), else_=1),
                cases.c.priority.desc(),
                cases.c.id,
            )
            .limit(1)
            .with_for_update(skip_locked=True)
        ).first()
        if found is not None:
            connection.execute(
                update(cases)
                .where(cases.c.id == found.id)
                .values(lease_by=reviewer, lease_until=moment(seconds))
            )
        return found


def keep_lease(
    record: Record, case_id: int, reviewer: str, *, seconds: float = LEASE_SECONDS
) -> bool:
    """Lease a case on; False if another reviewer holds it by now."""
    with record.writing() as connection:
        changed = connection.execute(
            update(cases)
            .where(cases.c.id == case_id, cases.c.status.in_(WAITING), _free_for(reviewer))
            .values(lease_by=reviewer, lease_until=moment(seconds))
        )
        return changed.rowcount == 1


def release(record: Record, case_id: int, reviewer: str) -> None:
    """Give a case back."""
    with record.writing() as connection:
        connection.execute(
            update(cases)
            .where(cases.c.id == case_id, cases.c.lease_by == reviewer)
            .values(lease_by=None, lease_until=None)
        )


def _free_for(reviewer: str) -> Any:
    return or_(
        cases.c.lease_by.is_(None),
        cases.c.lease_by == reviewer,
        cases.c.lease_until < moment(),
    )
