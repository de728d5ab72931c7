"""Reads what a `DataChoice` names: for training, or with the columns a saved model knows."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from labelfield._names import join_names
from labelfield.cli import console
from labelfield.cli.input.cases import case_fields
from labelfield.cli.input.data import DataChoice, split_names
from labelfield.cli.input.scores import scored_table
from labelfield.cli.input.tables import AS_TEXT, KINDS, Table, sort_columns, take_columns

__all__ = ["read_cases", "read_labelled", "read_like"]

LISTS = ("label_columns", "tags", "drop")
# Options of tables that are no arguments of a reader.
TABLE_OPTIONS = (*KINDS, "id", "groups")


def read_labelled(source: DataChoice) -> Table:
    """Return the chosen data, with the labels that the options name, for a model to learn from."""
    form = _format_of(source)
    chosen = _label_options(source, form)
    if form.needs_labels and not chosen:
        options = ", ".join(map(_spelled, form.label_options))
        raise ValueError(f"{source.data}: which columns are labels? Give one of {options}.")
    arguments = _arguments(source, form)
    if form.is_table:
        arguments["as_text"] = [name for option in AS_TEXT for name in source.names(option)]
    return sort_columns(source, form.read(source.data, **arguments))


def read_like(source: DataChoice, notes: Mapping[str, Any], *, labelled: bool) -> Table:
    """Return the chosen data with the features, and if wanted the labels, of a saved model.

    Columns are found by name, wherever they stand; what else the file holds is left out.
    """
    _refuse_kinds(source)
    if "taggers" in notes:
        return scored_table(Path(source.data), notes)
    if "feature_names" not in notes:  # saved from Python: columns are taken as they come
        return read_labelled(source)
    form = _format_of(source, notes)
    arguments = _arguments_like(source, form, notes, labelled=labelled)
    data = form.read(source.data, **arguments)
    _check_categories(source, data, notes)
    table = take_columns(source, data, notes)
    if not labelled:
        return table
    listed_by_rows = form.rows_list_labels or form.options.get("tags") in arguments
    labels = _with_labels(source, table.data, notes["label_names"], listed_by_rows)
    return replace(table, data=labels)


def read_cases(source: DataChoice, notes: Mapping[str, Any]) -> tuple[Table, list[dict[str, Any]]]:
    """Return the chosen data with the features of a saved model, and what is shown of each row."""
    _refuse_kinds(source)
    if "taggers" in notes:
        table = scored_table(Path(source.data), notes)
        shown = {name: cells for name, cells in table.ids.items() if name != "id"}
        ids = {name: cells for name, cells in table.ids.items() if name == "id"}
        fields = [dict(zip(shown, cells)) for cells in zip(*shown.values())]
        return replace(table, ids=ids), fields or case_fields(table.data)
    form = _format_of(source, notes)
    if "feature_names" not in notes:
        data = form.read(source.data, **_arguments(source, form) | dict(form.unlabelled))
        return Table(data), case_fields(data)
    data = form.read(source.data, **_arguments_like(source, form, notes, labelled=False))
    _check_categories(source, data, notes)
    answers = {*notes.get("reading", {}).get("tags", ()), *notes["label_names"]}
    return take_columns(source, data, notes), case_fields(data, answers)


def _refuse_kinds(source: DataChoice) -> None:
    for option in (*KINDS, "groups"):
        if option in source.given():
            raise ValueError(
                f"{_spelled(option)} is for fit and compare; the model knows its columns."
            )


def _arguments_like(
    source: DataChoice, form, notes: Mapping[str, Any], *, labelled: bool
) -> dict[str, Any]:
    """Arguments of the format's reader that give the columns of a saved model."""
    arguments = _arguments(source, form) | form.columns_like(notes)
    if form.is_table:
        kinds = notes.get("kinds", {})
        known = [name for name, kind in kinds.items() if kind in AS_TEXT]
        arguments["as_text"] = [*known, *notes.get("id_columns", ()), *source.names("id")]
    if not labelled:
        for option in form.label_options:
            arguments.pop(form.options[option], None)
        arguments |= form.unlabelled
    elif not _label_options(source, form):
        arguments |= form.labels_like(notes)
    return arguments


def _check_categories(source: DataChoice, data, notes: Mapping[str, Any]) -> None:
    for name, values in notes.get("categories", {}).items():
        declared = list(data.categories.get(name, values))
        if declared != values:
            raise ValueError(
                f"{source.data} declares {name} as {declared}, the training data as {values}; "
                "the model would read one value for another."
            )


def _format_of(source: DataChoice, notes: Mapping[str, Any] = MappingProxyType({})):
    """Return the format of the file, or of known data sets.

    A .txt file, which may be svmlight, is a table for options and saved models of tables.
    """
    from labelfield.datasets._format import Format
    from labelfield.datasets._source import file_ending
    from labelfield.datasets.formats import FORMATS, find_format
    from labelfield.datasets.named.loader import load_dataset
    from labelfield.datasets.table import CSV_FORMAT

    path = Path(source.data)
    form = find_format(path)
    if file_ending(path) == ".txt" and (notes.get("kinds") or source.given()):
        form = CSV_FORMAT
    if form is not None and not path.exists():
        raise FileNotFoundError(f"There is no file {source.data!r}.")
    if form is None and path.exists() and not path.is_dir():
        known = ", ".join(ending for one in FORMATS for ending in one.endings)
        raise ValueError(f"{path}: the ending {path.suffix!r} tells no format; known are {known}.")
    if form is None:
        form = Format("known data sets", (), load_dataset, options={"split": "split"})
    for name in source.given():
        applies = name in form.options or (form.is_table and name in TABLE_OPTIONS)
        if not applies:
            raise ValueError(f"{_spelled(name)} does not apply to {form.name}.")
    return form


def _spelled(option: str) -> str:
    return "--no-header" if option == "header" else f"--{option.replace('_', '-')}"


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
    if "drop" in values:
        _refuse_dropped(source)
        apart = [*source.names("id"), source.groups]  # no features in any case
        values["drop"] = [name for name in values["drop"] if name not in apart]
    if "sep" in values:
        values["sep"] = values["sep"].replace("\\t", "\t")
    return {form.options[name]: value for name, value in values.items() if name in form.options}


def _refuse_dropped(source: DataChoice) -> None:
    for option in (*KINDS, "tags", "label_columns"):
        for name in source.names(option):
            if name in source.names("drop"):
                raise ValueError(f"{name!r} is named by {_spelled(option)} and by --drop.")


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
