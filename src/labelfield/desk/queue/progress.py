"""How far the work has come."""

from typing import Any

from sqlalchemy import func, select

from labelfield.desk.record.record import Record, standing
from labelfield.desk.record.tables import cases, decisions

__all__ = ["progress"]


def progress(record: Record, reviewer: str) -> dict[str, Any]:
    """Return how many cases are settled, open, in conflict, and what the reviewer did of it."""
    by_status = record.count_by_status()
    mine = (
        select(decisions.c.verdict, func.count())
        .where(standing, decisions.c.reviewer == reviewer)
        .group_by(decisions.c.verdict)
    )
    left = select(func.count()).where(
        cases.c.status.in_(("open", "conflict")),
        cases.c.id.not_in(
            select(decisions.c.case).where(standing, decisions.c.reviewer == reviewer)
        ),
    )
    with record.reading() as connection:
        own = dict(connection.execute(mine).all())
        for_me = int(connection.scalar(left) or 0)
    return {
        "settled": by_status.get("settled", 0),
        "open": by_status.get("open", 0),
        "conflict": by_status.get("conflict", 0),
        "accepted": by_status.get("accepted", 0),
        "by_me": own.get("set", 0) + own.get("unsure", 0),
        "unsure_by_me": own.get("unsure", 0),
        "for_me": for_me,
    }
