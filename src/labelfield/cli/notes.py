"""What a model file remembers of the data it was fitted to."""

import base64
from collections.abc import Mapping
from typing import Any

from labelfield._exceptions import ModelFileError
from labelfield.cli.input.tables import Table

__all__ = ["check_notes", "training_notes"]


def training_notes(table: Table) -> dict[str, Any]:
    """Return what a saved model should remember of the data it was fitted to."""
    from labelfield.cli.input.rows import sketch_rows

    data = table.data
    return {
        "data": data.name,
        "feature_names": list(data.feature_names),
        "label_names": list(data.label_names),
        "categories": {name: list(values) for name, values in data.categories.items()},
        "reading": dict(data.reading),
        "kinds": dict(table.kinds) if table.encoder is not None else {},
        "id_columns": list(table.ids),
        "rows": sketch_rows(data.X),
    }


def check_notes(path, notes: Mapping[str, Any], n_features: int | None, n_labels: int) -> None:
    """Refuse notes of a model file that do not describe columns as `training_notes` does."""
    if "feature_names" not in notes:
        return
    categories, reading = notes.get("categories"), notes.get("reading", {})
    kinds, rows = notes.get("kinds", {}), notes.get("rows", {"kept": "", "all": True})
    sound = {
        "feature_names": _are_names(notes["feature_names"], n_features),
        "label_names": _are_names(notes.get("label_names"), n_labels),
        "categories": isinstance(categories, dict) and all(map(_are_names, categories.values())),
        "reading": reading == {} or _tells_tags(reading),
        "kinds": isinstance(kinds, dict) and all(isinstance(kind, str) for kind in kinds.values()),
        "id_columns": _are_names(notes.get("id_columns", [])),
        "rows": isinstance(rows, dict) and _is_sketch(rows.get("kept"), rows.get("all")),
    }
    for name, is_sound in sound.items():
        if not is_sound:
            raise ModelFileError(
                f"{path}: its notes have no readable {name!r}; the file is damaged or was changed."
            )


def _tells_tags(reading: Any) -> bool:
    return (
        isinstance(reading, dict)
        and set(reading) == {"tags", "tag_separator"}
        and _are_names(reading["tags"])
        and isinstance(reading["tag_separator"], str)
        and reading["tag_separator"] != ""
    )


def _is_sketch(kept: Any, has_all: Any) -> bool:
    """Whether these are the hashes of `sketch_rows`: 8 bytes each, at least one if not all."""
    if not isinstance(kept, str) or not isinstance(has_all, bool):
        return False
    try:
        raw = base64.b64decode(kept, validate=True)
    except ValueError:
        return False
    return len(raw) % 8 == 0 and (has_all or bool(raw))


def _are_names(value: Any, number: int | None = None) -> bool:
    """Whether the value is a list of different texts, as many as wanted."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return False
    return len(set(value)) == len(value) and number in (None, len(value))
