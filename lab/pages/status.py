"""Which tables can be computed, which wait for a method, which never can."""

from dataclasses import dataclass

from lab.building import is_known
from lab.published import TABLES
from lab.table import Column, Table
from lab.tasks import TASKS

__all__ = ["Status", "get_table", "list_tables", "status"]


@dataclass(frozen=True)
class Status:
    """What can be done about a table.

    Attributes
    ----------
    kind : {"available", "partial", "waiting", "impossible", "out of scope"}
        All rows and columns can be computed; some can; none yet, for want of methods or files;
        none ever, since the data are not public; the table shows no experiment.
    waiting_for : tuple of str
        Registry ids that do not exist yet, and data sets that are not here.
    reason : str
        Why it is impossible, or which columns are.

    Examples
    --------
    >>> from lab import get_table, status
    >>> print(status(get_table("qli2017-3.7")))
    impossible: the image features (PHOW, CNN) computed by the author are not public
    """

    kind: str
    waiting_for: tuple[str, ...] = ()
    reason: str = ""

    @property
    def runnable(self) -> bool:
        """Whether there is anything to compute now."""
        return self.kind in ("available", "partial")

    def __str__(self) -> str:
        waiting = f"waiting for: {', '.join(self.waiting_for)}" if self.waiting_for else ""
        if self.kind == "waiting":
            return "; ".join(filter(None, [waiting, self.reason]))
        details = "; ".join(filter(None, [waiting, self.reason]))
        return f"{self.kind}: {details}" if details else self.kind


def status(table: Table) -> Status:
    """Return what can be done about a table with the methods and data that exist now."""
    if table.out_of_scope:
        return Status("out of scope", reason=table.out_of_scope)
    if table.impossible:
        return Status("impossible", reason=table.impossible)
    absent = {column.data: column.note for column in table.columns if column.source is None}
    reason = "; ".join(
        f"no {', '.join(data for data in absent if absent[data] == why)}: {why}"
        for why in dict.fromkeys(absent.values())
    )
    if all(column.source is None for column in table.columns):
        return Status("impossible", reason=reason)
    waiting = (
        *(id for id in table.needs if not is_known(id)),
        *([] if table.task in TASKS else [f"the task {table.task!r}"]),
        *dict.fromkeys(filter(None, map(_missing, table.columns))),
    )
    if not _anything_to_do(table):
        return Status("waiting", waiting, reason)
    return Status("partial" if waiting or absent else "available", waiting, reason)


def _missing(column: Column) -> str:
    return "" if column.source is None else column.source.missing()


def _anything_to_do(table: Table) -> bool:
    """Return whether some row can be computed in some column, with what is here now."""
    rows = [method.model.ids() for method in table.methods if method.model is not None]
    return (
        table.task in TASKS
        and any(all(is_known(id) for id in ids) for ids in rows)
        and any(column.source is not None and not _missing(column) for column in table.columns)
    )


def get_table(id: str) -> Table:
    """Return the description of a table by its id, such as "qli2017-3.6"."""
    if id not in TABLES:
        near = [known for known in TABLES if known.split("-")[0] == id.split("-")[0]] or list(
            TABLES
        )
        raise ValueError(f"No table is called {id!r}; there are {', '.join(near)}.")
    return TABLES[id]


def list_tables() -> list[dict[str, str]]:
    """Return every table and figure with results of the four documents, and its status.

    Returns
    -------
    list of dict
        With "id", "document", "title", "kind" and "status" (the kind with its reasons).

    Examples
    --------
    >>> from lab import list_tables
    >>> [row["kind"] for row in list_tables() if row["id"] == "qli2017-2.1"]
    ['out of scope']
    """
    return [
        {
            "id": table.id,
            "document": table.document,
            "title": table.title,
            "kind": status(table).kind,
            "status": str(status(table)),
        }
        for table in TABLES.values()
    ]
