"""Reads what a `DataChoice` names: for training, or with the columns a saved model knows."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from labelfield._names import join_names, split_names
from labelfield.cli import console
from labelfield.cli.data import DataChoice

__all__ = ["read_labelled", "read_like", "training_notes"]

PACKED = (".gz", ".bz2")
FORMATS = {
    ".arff": "ARFF",
    ".csv": "table",
    ".tsv": "table",
    ".parquet": "table",
    ".pq": "table",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".txt": "svmlight",
}
OPTIONS = {
    "ARFF": {"labels", "xml", "label_columns"},
    "table": {"label_columns", "label_prefix", "tag_column", "tag_separator", "drop", "separator"},
    "svmlight": set(),
    "known": {"split"},
}


def read_labelled(source: DataChoice):
    """Return the chosen data with the labels that the options name."""
    form = _form(source)
    if form == "ARFF":
        return _read_arff(source)
    if form == "table":
        return _read_table(source)
    if form == "svmlight":
        return _read_svmlight(source)
    from labelfield.datasets import load_dataset

    return load_dataset(source.data, split=source.split)


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
    if _form(source) == "svmlight":
        notes["zero_based"] = _read_svmlight(source, zero_based=True).X.shape == data.X.shape
    return notes


def read_like(source: DataChoice, notes: dict[str, Any], *, labelled: bool):
    """Return the chosen data with the features, and if wanted the labels, of a saved model.

    Columns are found by name, wherever they stand; what else the file holds is left out.
    """
    if "feature_names" not in notes:  # saved from Python: columns are taken as they come
        return read_labelled(source)
    form = _form(source)
    if form == "ARFF":
        data = _read_arff(source, fallback=notes["label_names"] if labelled else [])
    elif form == "table":
        data = _read_table(source, notes=notes) if labelled else _read_columns(source)
    elif form == "svmlight":
        data = _read_svmlight(
            source,
            n_features=len(notes["feature_names"]),
            zero_based=notes.get("zero_based", "auto"),
        )
    else:
        data = read_labelled(source)
    data = _with_features(source, data, notes)
    named_by_rows = form == "svmlight" or source.tag_column or notes.get("tag_column")
    return (
        _with_labels(source, data, notes["label_names"], bool(named_by_rows)) if labelled else data
    )


def _form(source: DataChoice) -> str:
    path = Path(source.data)
    suffix = path.with_suffix("").suffix if path.suffix in PACKED else path.suffix
    form = FORMATS.get(suffix.lower(), "known")
    if path.is_file() and form == "known":
        raise ValueError(
            f"{path}: the ending {path.suffix!r} tells no format; known are {', '.join(FORMATS)}."
        )
    if form != "known" and not path.is_file():
        raise ValueError(f"There is no file {path}.")
    for name in source.given():
        if name not in OPTIONS[form]:
            what = "known data sets" if form == "known" else f"{form} files"
            raise ValueError(f"--{name.replace('_', '-')} does not apply to {what}.")
    return form


def _read_arff(source: DataChoice, fallback=None):
    from labelfield.datasets import read_arff

    labels = fallback
    if fallback != [] and source.given():
        listed = source.label_columns and split_names(source.label_columns)
        labels = listed or source.xml or source.labels
    return read_arff(source.data, labels=labels)


def _read_table(source: DataChoice, notes: dict[str, Any] | None = None):
    from labelfield.datasets import read_table

    reading = _table_options(source)
    choice = _table_labels(source, notes or {})
    return read_table(source.data, **choice, **reading, as_frame=False)


def _read_columns(source: DataChoice):
    """Return every column of a table as a feature, in its own type."""
    from labelfield.datasets import read_table

    return read_table(source.data, labels=[], **_table_options(source))


def _table_options(source: DataChoice) -> dict[str, Any]:
    default = "\t" if ".tsv" in Path(source.data).suffixes else ","
    return {"separator": source.separator or default, "drop": split_names(source.drop or "")}


def _table_labels(source: DataChoice, notes: dict[str, Any]) -> dict[str, Any]:
    chosen = [source.label_columns, source.label_prefix, source.tag_column]
    if sum(one is not None for one in chosen) > 1:
        raise ValueError("Give only one of --label-columns, --label-prefix and --tag-column.")
    if source.label_columns is not None:
        return {"labels": split_names(source.label_columns)}
    if source.label_prefix is not None:
        names = _read_columns(source).feature_names
        labels = [name for name in names if name.startswith(source.label_prefix)]
        if not labels:
            raise ValueError(f"{source.data}: no column starts with {source.label_prefix!r}.")
        return {"labels": labels}
    if source.tag_column is not None:
        return {"tags": source.tag_column, "tag_separator": source.tag_separator}
    if "tag_column" in notes:
        return {"tags": notes["tag_column"], "tag_separator": notes["tag_separator"]}
    if "label_names" in notes:
        return {"labels": notes["label_names"]}
    raise ValueError(
        f"{source.data}: which columns are labels? Give --label-columns A,B,..., "
        "--label-prefix TEXT, or --tag-column NAME."
    )


def _read_svmlight(source: DataChoice, **options):
    from labelfield.datasets import read_svmlight

    return read_svmlight(source.data, **options)


def _with_features(source: DataChoice, data, notes: dict[str, Any]):
    wanted = notes["feature_names"]
    place = {name: j for j, name in enumerate(data.feature_names)}
    missing = [repr(name) for name in wanted if name not in place]
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
    columns = [place[name] for name in wanted]
    if hasattr(data.X, "iloc"):
        X = _numbers(source, data.X.iloc[:, columns])
    else:
        X = data.X if columns == list(range(data.X.shape[1])) else data.X[:, columns]
    return replace(data, X=X, feature_names=tuple(wanted))


def _numbers(source: DataChoice, frame):
    import numpy as np

    for name in frame.columns:
        if frame[name].dtype.kind not in "biuf":
            raise ValueError(f"{source.data}: column {name!r} holds text; the model wants numbers.")
    return frame.to_numpy(dtype=float, na_value=np.nan)


def _with_labels(source: DataChoice, data, wanted: list[str], named_by_rows: bool):
    """Put label columns into the model's order.

    Where rows name their labels (tags, svmlight), one that no row names is absent everywhere.
    """
    import numpy as np

    place = {name: j for j, name in enumerate(data.label_names)}
    missing = [repr(name) for name in wanted if name not in place]
    if missing and not named_by_rows:
        raise ValueError(f"{source.data} lacks the labels {', '.join(missing)} of the model.")
    new = [name for name in data.label_names if name not in wanted]
    if new:
        console.note(f"Left out, unknown to the model: {join_names(new)}.")
    Y = np.zeros((len(data.Y), len(wanted)), dtype=data.Y.dtype)
    for j, name in enumerate(wanted):
        if name in place:
            Y[:, j] = data.Y[:, place[name]]
    return replace(data, Y=Y, label_names=tuple(wanted))
