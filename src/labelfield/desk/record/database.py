"""Opens the database of a record: SQLite by default, PostgreSQL by its address."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, select, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError

from labelfield.desk.record.tables import APPEND_ONLY, facts, metadata

__all__ = ["SCHEMA", "database_url", "moment", "open_engine"]

WAIT_MS = 20_000


def moment(seconds_ahead: float = 0.0) -> str:
    """Return the time in UTC, or so many seconds after it."""
    return (datetime.now(UTC) + timedelta(seconds=seconds_ahead)).isoformat(timespec="microseconds")


def database_url(place: Any) -> str:
    """Return the address of a database, given as one or as a file for SQLite.

    Examples
    --------
    >>> from labelfield.desk.record.database import database_url
    >>> database_url("notes.review")
    'sqlite:///notes.review'
    >>> database_url("postgresql://anna@localhost/desk")
    'postgresql+psycopg://anna@localhost/desk'
    """
    text = str(place)
    if "://" not in text:
        return f"sqlite:///{text}"
    kind, _, rest = text.partition("://")
    return f"postgresql+psycopg://{rest}" if kind in ("postgres", "postgresql") else text


def open_engine(place: Any) -> Engine:
    """Return the engine of a record whose tables are there and of the newest form."""
    try:
        url = make_url(database_url(place))
        sqlite = url.get_backend_name() == "sqlite"
        options: dict[str, Any] = {} if sqlite else {"pool_pre_ping": True}
        engine = create_engine(url, **options)
    except (ArgumentError, NoSuchModuleError) as error:
        raise ValueError(f"{place!r} is no file and no address of a database: {error}") from None
    except ImportError as error:
        raise ImportError(f"{place!r} needs a driver: pip install 'psycopg[binary]'.") from error
    if sqlite:
        event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite if sqlite else _begin_nothing)
    try:
        with engine.execution_options(writing=True).begin() as connection:
            migrate(connection)
    except DatabaseError as error:
        raise ValueError(f"The record {place} cannot be opened: {error.orig}") from None
    return engine


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say, in `_begin_sqlite`
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {WAIT_MS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    # a commit returns when the disk has it; the pages of redacted texts are overwritten
    for setting in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writing = connection.get_execution_options().get("writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _begin_nothing(connection: Connection) -> None:
    """PostgreSQL begins by itself."""


def _create_tables(connection: Connection) -> None:
    metadata.create_all(connection)


def _forbid_changes(connection: Connection) -> None:
    """Let the database itself refuse to change or delete what was decided and shown."""
    if connection.dialect.name == "sqlite":
        for table in APPEND_ONLY:
            for change in ("UPDATE", "DELETE"):
                connection.exec_driver_sql(
                    f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
                )
        return
    connection.exec_driver_sql(
        "CREATE FUNCTION labelfield_append_only() RETURNS trigger AS "
        "$$ BEGIN RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME; END $$ LANGUAGE plpgsql"
    )
    for table in APPEND_ONLY:
        connection.exec_driver_sql(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION labelfield_append_only()"
        )


# Step k leads from form k to form k + 1; a new form of the tables is a new step at the end.
STEPS: list[Callable[[Connection], None]] = [_create_tables, _forbid_changes]
SCHEMA = len(STEPS)


def migrate(connection: Connection, steps: list[Callable[[Connection], None]] = STEPS) -> None:
    """Bring the tables to the newest form, in the transaction of the connection."""
    form = _form_of(connection)
    if form > len(steps):
        raise ValueError(
            f"The record is of form {form}, made by a newer labelfield; this one knows {len(steps)}"
            ". Install the newer version."
        )
    for step in steps[form:]:
        step(connection)
    if form == 0:
        connection.execute(facts.insert().values(name="schema", value=str(len(steps))))
    elif form < len(steps):
        connection.execute(
            update(facts).where(facts.c.name == "schema").values(value=str(len(steps)))
        )


def _form_of(connection: Connection) -> int:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7236115)")  # one at a time
    tables = inspect(connection).get_table_names()
    if "facts" not in tables:
        if tables:
            raise ValueError(
                f"The database holds other tables ({', '.join(sorted(tables)[:3])}, ...); give the "
                "record a database of its own."
            )
        return 0
    return int(connection.scalar(select(facts.c.value).where(facts.c.name == "schema")) or 0)
