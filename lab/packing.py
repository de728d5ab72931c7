"""Cells of one row in one line: what they have in common once, the rest in lists."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["pack", "unpack"]

BETWEEN = "/"  # of the names on the way to a value inside a record
Record = dict[str, Any]


def pack(records: Mapping[str, Record]) -> Iterator[Record]:
    """Yield the lines of a file in the order of the keys.

    Repetitions of a row whose records have the same entries share a line; a cell that is alone
    has one of its own.

    Parameters
    ----------
    records : mapping of a key, which ends in the number of the repetition, to a record

    Examples
    --------
    >>> from lab.packing import pack
    >>> list(pack({"a/br-0": {"code": "x", "f1": 0.5}, "a/br-1": {"code": "x", "f1": 0.6}}))
    [{'row': 'a/br', 'cells': [0, 1], 'same': {'code': 'x'}, 'each': {'f1': [0.5, 0.6]}}]
    """
    groups: dict[tuple, list[tuple[int, Record]]] = {}
    alone = {}
    for key, record in records.items():
        row, _, repetition = key.rpartition("-")
        flat = dict(_flatten(record))
        if repetition.isdecimal() and _nested(flat) == record:
            groups.setdefault((row, frozenset(flat)), []).append((int(repetition), flat))
        else:
            alone[key] = {"key": key, **record}
    lines = {}
    for (row, _), cells in groups.items():
        cells.sort(key=lambda cell: cell[0])
        first = f"{row}-{cells[0][0]}"
        alike = len(cells) > 1
        lines[first] = _line(row, cells) if alike else {"key": first, **records[first]}
    yield from (line for _, line in sorted((lines | alone).items()))


def unpack(line: Record) -> Iterator[tuple[str, Record]]:
    """Yield the keys and records of a line."""
    if "key" in line:
        yield line["key"], {name: value for name, value in line.items() if name != "key"}
        return
    for number, repetition in enumerate(line["cells"]):
        own = {path: values[number] for path, values in line["each"].items()}
        yield f"{line['row']}-{repetition}", _nested({**line["same"], **own})


def _line(row: str, cells: list[tuple[int, Record]]) -> Record:
    values = {path: [flat[path] for _, flat in cells] for path in cells[0][1]}
    same = {path for path, each in values.items() if len(set(map(json.dumps, each))) == 1}
    return {
        "row": row,
        "cells": [repetition for repetition, _ in cells],
        "same": {path: each[0] for path, each in values.items() if path in same},
        "each": {path: each for path, each in values.items() if path not in same},
    }


def _flatten(record: Record, before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, dict) and value:
            yield from _flatten(value, f"{before}{name}{BETWEEN}")
        else:
            yield before + name, value


def _nested(flat: Mapping[str, Any]) -> Record:
    record: Record = {}
    for path, value in flat.items():
        *way, name = path.split(BETWEEN)
        inside = record
        for step in way:
            inside = inside.setdefault(step, {})
        inside[name] = value
    return record
