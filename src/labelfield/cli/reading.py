"""Reads what a `DataChoice` names: for training, or with the columns a saved model knows."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from labelfield._exceptions import ModelFileError
from labelfield._names import join_names
from labelfield.cli import console
from labelfield.cli.data import DataChoice, split_names

__all__ = ["check_notes", "read_labelled", "read_like", "training_notes"]

LISTS = ("label_columns", "drop")


def read_labelled(source: DataChoice):
    """Return the chosen data with the labels that the options name."""
    form = _format_of(source)
    chosen = _label_options(source, form)
    if form.needs_labels and not chosen:
        options = ", ".join(map(_spelled, form.label_options))
        raise ValueError(f"{source.data}: which columns are labels? Give one of {options}.")
    data = form.read(source.data, **_arguments(source, form))
    return replace(data, X=_numbers(source, data.X))


def training_notes(source: DataChoice, data) -> dict[str, Any]:
    """Return what a saved model should remember of the data it was fitted to."""
    notes = {
        "data": data.name,
        "feature_names": list(data.feature_names),
        "label_names": list(data.label_names),
        "categories": {name: list(values) for name, values in data.categories.items()},
    }
    if source.tag_column is not None:
        notes |= {"tag_column": source.tag_column, "tag_separator": source.tag_separator}
    return notes


def check_notes(path, notes: Mapping[str, Any], n_features: int | None, n_labels: int) -> None:
    """Refuse notes of a model file that do not describe columns as `training_notes` does."""
    if "feature_names" not in notes:
        return
    categories = notes.get("categories")
    sound = {
        "feature_names": _are_names(notes["feature_names"], n_features),
        "label_names": _are_names(notes.get("label_names"), n_labels),
        "categories": isinstance(categories, dict) and all(map(_are_names, categories.values())),
        "tag_column": isinstance(notes.get("tag_column", ""), str),
        "tag_separator": ("tag_column" in notes) == bool(notes.get("tag_separator"))
        and isinstance(notes.get("tag_separator", ""), str),
    }
    for name, is_sound in sound.items():
        if not is_sound:
            raise ModelFileError(
                f"{path}: its notes have no readable {name!r}; the file is damaged or was changed."
            )


def _are_names(value: Any, number: int | None = None) -> bool:
    """Whether the value is a list of different texts, as many as wanted."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return False
    return len(set(value)) == len(value) and number in (None, len(value))


def read_like(source: DataChoice, notes: Mapping[str, Any], *, labelled: bool):
    """Return the chosen data with the features, and if wanted the labels, of a saved model.

    Columns are found by name, wherever they stand; what else the file holds is left out.
    """
    if "feature_names" not in notes:  # saved from Python: columns are taken as they come
        return read_labelled(source)
    form = _format_of(source)
    arguments = _arguments(source, form) | form.columns_like(notes)
    if not labelled:
        for option in form.label_options:
            arguments.pop(form.options[option], None)
        arguments |= form.unlabelled
    elif not _label_options(source, form):
        arguments |= form.labels_like(notes)
    data = _with_features(source, form.read(source.data, **arguments), notes)
    if not labelled:
        return data
    listed_by_rows = form.rows_list_labels or form.options.get("tag_column") in arguments
    return _with_labels(source, data, notes["label_names"], listed_by_rows)


def _format_of(source: DataChoice):
    from labelfield.datasets._format import Format
    from labelfield.datasets.formats import FORMATS, find_format
    from labelfield.datasets.named.loader import load_dataset

    path = Path(source.data)
    form = find_format(path)
    if form is not None and not path.exists():
        raise FileNotFoundError(f"There is no file {source.data!r}.")
    if form is None and path.exists() and not path.is_dir():
        known = ", ".join(ending for one in FORMATS for ending in one.endings)
        raise ValueError(f"{path}: the ending {path.suffix!r} tells no format; known are {known}.")
    if form is None:
        form = Format("known data sets", (), load_dataset, options={"split": "split"})
    for name in source.given():
        if name not in form.options:
            raise ValueError(f"{_spelled(name)} does not apply to {form.name}.")
    return form


def _spelled(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def _label_options(source: DataChoice, form) -> list[str]:
    given = [name for name in form.label_options if name in source.given()]
    if len(given) > 1:
        raise ValueError(f"Give only one of {', '.join(map(_spelled, given))}.")
    return given


def _arguments(source: DataChoice, form) -> dict[str, Any]:
    """What the options say, as arguments of the format's reader."""
    values = source.given()
    for name in LISTS:
        if name in values:
            values[name] = split_names(values[name], _spelled(name))
    if "separator" in values:
        values["separator"] = values["separator"].replace("\\t", "\t")
    return {form.options[name]: value for name, value in values.items()}


def _with_features(source: DataChoice, data, notes: Mapping[str, Any]):
    wanted = notes["feature_names"]
    position = {name: j for j, name in enumerate(data.feature_names)}
    missing = [repr(name) for name in wanted if name not in position]
    if missing:
        shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        raise ValueError(
            f"{source.data} lacks {len(missing)} of the {len(wanted)} features of the model: "
            f"{shown}."
        )
    for name, values in notes.get("categories", {}).items():
        declared = list(data.categories.get(name, values))
        if declared != values:
            raise ValueError(
                f"{source.data} declares {name} as {declared}, the training data as {values}; "
                "the model would read one value for another."
            )
    columns = [position[name] for name in wanted]
    if hasattr(data.X, "iloc"):
        X = _numbers(source, data.X.iloc[:, columns])
    else:
        X = data.X if columns == list(range(data.X.shape[1])) else data.X[:, columns]
    return replace(data, X=X, feature_names=tuple(wanted))


def _numbers(source: DataChoice, X):
    """A frame as a float array; arrays and matrices stay as they are."""
    if not hasattr(X, "iloc"):
        return X
    import numpy as np

    for name in X.columns:
        if X[name].dtype.kind not in "biuf":
            raise ValueError(
                f"{source.data}: column {name!r} holds text or other values; models want numbers. "
                "Turn it into numbers first, or leave it out of the training data with --drop."
            )
    return X.to_numpy(dtype=float, na_value=np.nan)


def _with_labels(source: DataChoice, data, wanted: list[str], listed_by_rows: bool):
    """Put label columns into the model's order.

    Where rows list their labels (tags, svmlight), one that no row lists is absent everywhere.
    """
    import numpy as np

    position = {name: j for j, name in enumerate(data.label_names)}
    missing = [repr(name) for name in wanted if name not in position]
    if missing and not listed_by_rows:
        raise ValueError(f"{source.data} lacks the labels {', '.join(missing)} of the model.")
    new = [name for name in data.label_names if name not in wanted]
    if new:
        console.note(f"Left out, unknown to the model: {join_names(new)}.")
    Y = np.zeros((len(data.Y), len(wanted)), dtype=data.Y.dtype)
    for j, name in enumerate(wanted):
        if name in position:
            Y[:, j] = data.Y[:, position[name]]
    return replace(data, Y=Y, label_names=tuple(wanted))
