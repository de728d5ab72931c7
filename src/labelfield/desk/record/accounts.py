"""Named reviewers and their tokens; only hashes of tokens are kept."""

import secrets
from hashlib import sha256

from sqlalchemy import delete, insert, select

from labelfield.desk.record.database import moment
from labelfield.desk.record.record import Record
from labelfield.desk.record.tables import accounts

__all__ = ["hash_token", "new_token", "reviewer_of"]

DAY = 86_400.0


def hash_token(token: str) -> str:
    """Return what is kept of a token; tokens are long and random, so that a plain hash will do."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_token(record: Record, reviewer: str, *, days: float = 30.0) -> str:
    """Return a token with which a reviewer signs in, valid for some days; earlier ones stay."""
    if not reviewer or len(reviewer) > 200:
        raise ValueError(f"A reviewer's name has 1 to 200 letters; got {reviewer[:50]!r}.")
    token = secrets.token_urlsafe(32)
    with record.writing() as connection:
        connection.execute(delete(accounts).where(accounts.c.expires < moment()))
        connection.execute(
            insert(accounts).values(
                token_hash=hash_token(token), reviewer=reviewer, expires=moment(days * DAY)
            )
        )
    return token


def reviewer_of(record: Record, token: str) -> str | None:
    """Return who signs in with a token, None if nobody may."""
    wanted = select(accounts.c.reviewer).where(
        accounts.c.token_hash == hash_token(token), accounts.c.expires > moment()
    )
    with record.reading() as connection:
        return connection.scalar(wanted)
