"""Files of scores and of gold labels: JSON lines, or a CSV table with a column per label."""

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelfield._exceptions import DataFormatError
from labelfield.cli.input.tables import Table

__all__ = ["Answers", "read_answers", "read_gold", "scored_table"]


@dataclass(frozen=True)
class Answers:
    """Answers of n rows, their ids (None where they have none) and other cells, as text."""

    answers: list[Any]
    ids: list[str] | None
    others: dict[str, list[str]]


def read_answers(path: Path, key: str = "scores") -> Answers:
    """Read one answer a line: bare, or under `key` in an object with `id` and other fields."""
    records = _csv_records(path, key) if path.suffix == ".csv" else _json_records(path)
    if not records:
        raise DataFormatError(f"{path}: holds no rows.")
    answers, ids, others = [], [], []
    for record in records:
        rest = dict(record) if isinstance(record, dict) else {}
        ids.append(rest.pop("id", None))
        if key in rest:
            answers.append(rest.pop(key))
            others.append({name: str(cell) for name, cell in rest.items()})
        else:
            answers.append(rest if isinstance(record, dict) else record)
            others.append({})
    names = dict.fromkeys(name for cells in others for name in cells)
    texts = [None if one is None else str(one) for one in ids]
    if any(one is None for one in texts):
        if any(one is not None for one in texts):
            raise DataFormatError(f"{path}: some rows have an id and others have none.")
        texts = None
    elif len(set(texts)) < len(texts):
        twice = next(one for one in texts if texts.count(one) > 1)
        raise DataFormatError(f"{path}: the id {twice!r} stands in two rows.")
    return Answers(answers, texts, {name: [row.get(name, "") for row in others] for name in names})


def read_gold(path: Path, answers: Answers) -> tuple[list[int], list[Any]]:
    """Return which rows of the answers have gold labels, and these, matched by id or by order."""
    gold = read_answers(path, "labels")
    if answers.ids is None or gold.ids is None:
        if len(gold.answers) != len(answers.answers):
            raise ValueError(
                f"{path} has {len(gold.answers)} rows for {len(answers.answers)} rows of scores; "
                "give every row an id in both files."
            )
        return list(range(len(gold.answers))), gold.answers
    position = {name: i for i, name in enumerate(answers.ids)}
    strange = [name for name in gold.ids if name not in position]
    if strange:
        raise ValueError(f"{path}: the id {strange[0]!r} has no scores.")
    return [position[name] for name in gold.ids], gold.answers


def scored_table(path: Path, notes: dict[str, Any]) -> Table:
    """Return rows of scores as a model of `labelfield calibrate` takes them."""
    import numpy as np

    from labelfield.calibrate import TaggerScores
    from labelfield.datasets.dataset import Dataset

    found = read_answers(path)
    read = TaggerScores.read(found.answers, notes["label_names"], notes["taggers"])
    ids = {} if found.ids is None else {"id": found.ids}
    Y = np.zeros((len(found.answers), len(read.labels)), dtype=np.uint8)
    data = Dataset(read.scores, Y, read.names, read.labels, name=path.name)
    return Table(data, ids=ids | found.others)


def _json_records(path: Path) -> list[Any]:
    from labelfield.datasets._source import read_source

    records = []
    for number, line in enumerate(read_source(path).raw.decode().split("\n"), start=1):
        if not line.strip():
            continue
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise DataFormatError(f"{path}, line {number}: no JSON ({error})") from None
    return records


def _csv_records(path: Path, key: str) -> list[Any]:
    """Return rows of a table as objects: a number in each label's column, empty where unknown."""
    from labelfield.datasets._source import read_source

    text = read_source(path, keep_line_ends=True).raw.decode()
    rows = csv.DictReader(io.StringIO(text, newline=""))
    records = []
    for number, row in enumerate(rows, start=2):
        cells = {name: cell for name, cell in row.items() if name not in ("id", None)}
        try:
            scores = {name: float(cell) if cell else None for name, cell in cells.items()}
        except (TypeError, ValueError):
            raise DataFormatError(f"{path}, line {number}: a cell is no number.") from None
        records.append({key: scores} | ({"id": row["id"]} if "id" in row else {}))
    return records
