"""A copy of the record, and texts that somebody asked to be forgotten."""

import shutil
import sqlite3
import tempfile
from os import PathLike
from pathlib import Path

from sqlalchemy import insert, select, update

from labelfield.desk.record.database import moment
from labelfield.desk.record.record import Record
from labelfield.desk.record.tables import cases, notes, redactions
from labelfield.io._aside import write_aside

__all__ = ["back_up", "redact"]


def back_up(record: Record, out: str | PathLike[str]) -> None:
    """Write a consistent copy of a record to a file, also while people work with it."""
    if record.engine.dialect.name != "sqlite":
        raise ValueError(
            "backup copies records in files; for a database use its own tool, such as pg_dump."
        )
    with tempfile.TemporaryDirectory(dir=Path(out).resolve().parent) as folder:
        copy = Path(folder, "copy")
        source = sqlite3.connect(f"file:{record.engine.url.database}?mode=ro", uri=True)
        target = sqlite3.connect(copy)
        try:
            source.backup(target)
        finally:
            source.close()
            target.close()
        with copy.open("rb") as content, write_aside(out, "wb") as file:
            shutil.copyfileobj(content, file)


def redact(record: Record, name: str, reason: str) -> int:
    """Remove the fields of a case and the notes about it; decisions stay. Returns its number.

    Backups and exports made earlier keep what they hold.
    """
    with record.writing() as connection:
        id = connection.scalar(select(cases.c.id).where(cases.c.name == name))
        if id is None:
            raise ValueError(f"The record holds no case called {name!r}.")
        connection.execute(update(cases).where(cases.c.id == id).values(fields=None))
        connection.execute(update(notes).where(notes.c.case == id).values(text=None))
        connection.execute(insert(redactions).values(case=id, reason=reason, made=moment()))
    if record.engine.dialect.name == "sqlite":
        with record.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            # earlier texts leave the log too, unless somebody reads at this moment
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return int(id)
