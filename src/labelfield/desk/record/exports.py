"""The record for other programs: CSV, JSON lines, Label Studio, Argilla, training rows."""

import csv
import json
from collections.abc import Callable, Iterator
from os import PathLike
from typing import Any

from sqlalchemy import select

from labelfield._names import csv_cell, join_names
from labelfield.desk.record.record import Record, withdrawn
from labelfield.desk.record.tables import cases, decisions, models, notes, showings
from labelfield.io._aside import write_aside

__all__ = ["EXPORTS", "decision_rows", "export", "training_rows"]

Row = dict[str, Any]
REDACTED = "(redacted)"


def export(record: Record, form: str, out: str | PathLike[str]) -> int:
    """Write the record to a file; return the number of rows, tasks or records.

    form is "csv" or "jsonl" (one row a decision), "label-studio" (tasks with predictions and
    annotations), "argilla" (records with suggestions and responses) or "training" (CSV: one row
    for each set that a reviewer gave, with the columns `labels`, `coder` and `case`).
    """
    if form not in EXPORTS:
        raise ValueError(f"An export is one of {', '.join(EXPORTS)}; got {form!r}.")
    make, write = EXPORTS[form]
    return write(out, make(record))


def decision_rows(record: Record) -> Iterator[Row]:
    """Yield every decision with what was shown, by which model, and where its case stands."""
    wanted = (
        select(
            decisions,
            cases.c.name,
            cases.c.fields,
            cases.c.predicted,
            cases.c.confidence,
            cases.c.audit,
            cases.c.status,
            cases.c.final,
            models.c.hash,
            models.c.version.label("labelfield"),
            models.c.threshold,
            showings.c.blind,
            showings.c.content,
            showings.c.shown,
            notes.c.text,
            decisions.c.id.in_(withdrawn).label("undone"),
        )
        .join(cases, cases.c.id == decisions.c.case)
        .join(models, models.c.id == decisions.c.model)
        .outerjoin(showings, showings.c.id == decisions.c.showing)
        .outerjoin(notes, notes.c.decision == decisions.c.id)
        .order_by(cases.c.id, decisions.c.id)
    )
    with record.reading() as connection:
        for row in connection.execution_options(yield_per=500).execute(wanted):
            yield {
                "case": row.name,
                "version": row.version,
                "reviewer": row.reviewer,
                "verdict": row.verdict,
                "withdrawn": bool(row.undone),
                "labels": row.labels,
                "note": row.text,
                "decided": row.decided,
                "seconds": row.seconds,
                "trail": row.trail,
                "predicted": row.predicted,
                "confidence": row.confidence,
                "blind": row.blind,
                "shown": row.content,
                "shown_at": row.shown,
                "audit": row.audit,
                "status": row.status,
                "final": row.final,
                "model": row.hash,
                "labelfield": row.labelfield,
                "threshold": row.threshold,
                "key": row.key,
                "fields": row.fields,
            }


def training_rows(record: Record) -> Iterator[Row]:
    """Yield a row for each set that a reviewer gave: the fields of the case, labels, coder, case.

    Fields called as one of ours get a "_" behind their names; redacted cases are left out.
    """
    for row in decision_rows(record):
        if row["verdict"] == "set" and not row["withdrawn"] and row["fields"] is not None:
            ours = {"labels": row["labels"], "coder": row["reviewer"], "case": row["case"]}
            theirs = {f"{name}_" if name in ours else name: v for name, v in row["fields"].items()}
            yield theirs | ours


def _cases(record: Record) -> Iterator[tuple[Any, list[Row]]]:
    """Yield every case with its standing sets."""
    given: dict[str, list[Row]] = {}
    for row in decision_rows(record):
        if row["verdict"] == "set" and not row["withdrawn"]:
            given.setdefault(row["case"], []).append(row)
    wanted = select(cases, models.c.hash).join(models, models.c.id == cases.c.model)
    with record.reading() as connection:
        for case in connection.execution_options(yield_per=500).execute(
            wanted.order_by(cases.c.id)
        ):
            yield case, given.get(case.name, [])


def _label_studio(record: Record) -> Iterator[Row]:
    def choices(labels: list[str]) -> list[Row]:
        value = {"choices": labels}
        return [{"from_name": "labels", "to_name": "text", "type": "choices", "value": value}]

    for case, given in _cases(record):
        yield {
            # its exports drop the bodies of predictions: the name leads back to our record
            "data": {**(case.fields or {"text": REDACTED}), "labelfield_case": case.name},
            "predictions": [
                {
                    "model_version": case.hash,
                    "score": case.confidence,
                    "result": choices(case.predicted),
                }
            ],
            "annotations": [
                {
                    "result": choices(row["labels"]),
                    "lead_time": row["seconds"],
                    "created_at": row["decided"],
                    "meta": {"reviewer": row["reviewer"], "note": row["note"]},
                }
                for row in given
            ],
        }


def _argilla(record: Record) -> Iterator[Row]:
    for case, _ in _cases(record):
        suggested = {
            "labels.suggestion": case.predicted,
            "labels.suggestion.score": case.confidence,
            "labels.suggestion.agent": case.hash,
        }
        final = {} if case.final is None else {"labels.response": case.final}
        yield {"id": case.name, **(case.fields or {"text": REDACTED}), **suggested, **final}


def _write_csv(out: str | PathLike[str], rows: Iterator[Row]) -> int:
    """Write rows whose lists are names joined by | and whose fields are columns of their own."""
    flat = [_flat(row) for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row))
    with write_aside(out, newline="") as file:
        writer = csv.writer(file)
        writer.writerow(map(csv_cell, columns))
        writer.writerows([csv_cell(row.get(name)) for name in columns] for row in flat)
    return len(flat)


def _flat(row: Row) -> Row:
    fields = row.get("fields") or {}
    own = {name: value for name, value in row.items() if name != "fields"}
    taken = {f"{name}_" if name in own else name: value for name, value in fields.items()}
    return {name: _cell(value) for name, value in (own | taken).items()}


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return join_names(map(str, value), "|")
    return json.dumps(value) if isinstance(value, dict) else value


def _write_lines(out: str | PathLike[str], rows: Iterator[Row]) -> int:
    count = 0
    with write_aside(out) as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def _write_list(out: str | PathLike[str], rows: Iterator[Row]) -> int:
    tasks = list(rows)
    with write_aside(out) as file:
        json.dump(tasks, file, ensure_ascii=False, indent=1)
    return len(tasks)


Maker = Callable[[Record], Iterator[Row]]
Writer = Callable[[str | PathLike[str], Iterator[Row]], int]
EXPORTS: dict[str, tuple[Maker, Writer]] = {
    "csv": (decision_rows, _write_csv),
    "jsonl": (decision_rows, _write_lines),
    "label-studio": (_label_studio, _write_list),
    "argilla": (_argilla, _write_lines),
    "training": (training_rows, _write_csv),
}
