"""Tables as models take them: what each column is taken for, names of rows, groups."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from labelfield._names import join_names
from labelfield.cli.input.data import DataChoice

__all__ = [
    "AS_TEXT",
    "KINDS",
    "Table",
    "case_texts",
    "describe_columns",
    "grouped_folds",
    "sort_columns",
    "take_columns",
]

KINDS = ("text", "category", "date", "number")
AS_TEXT = ("text", "category", "id")


@dataclass(frozen=True)
class Table:
    """Data for a model, and what else their file told.

    ids: columns that name a row, as text. groups: one value a row, or None. kinds: what each column
    was taken for, empty where the data are a plain matrix. encoder: an unfitted TableEncoder where
    columns are more than numbers.
    """

    data: Any
    ids: Mapping[str, list[str]] = field(default_factory=dict)
    groups: list[str] | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    encoder: Any = None


def sort_columns(source: DataChoice, data) -> Table:
    """Sort the columns of a training table by kind; a plain matrix stays as it is."""
    if not hasattr(data.X, "iloc"):
        return Table(data)
    from labelfield.encode import TableEncoder
    from labelfield.encode.columns import read_columns
    from labelfield.encode.kinds import DROPPED, guess_kinds

    apart = [*source.names("id"), *([] if source.groups is None else [source.groups])]
    for option in ("id", "groups", *KINDS):
        named = [source.groups] if option == "groups" else source.names(option)
        _refuse_unknown(source, option, [name for name in named if name], data.feature_names)
    frame = data.X.drop(columns=apart)
    try:
        guesses = guess_kinds(read_columns(frame), {kind: source.names(kind) for kind in KINDS})
    except (TypeError, ValueError) as error:  # cells that are lists or objects, nothing to learn
        raise ValueError(f"{source.data}: {_as_options(str(error))}") from error
    kinds = {name: guess.kind for name, guess in guesses.items()}
    used = [name for name, kind in kinds.items() if kind not in DROPPED]
    id_names = [*source.names("id"), *(name for name, kind in kinds.items() if kind == "id")]
    lists = {kind: [name for name in used if kinds[name] == kind] for kind in KINDS}
    encoder = None if _is_matrix(frame[used], kinds) else TableEncoder(**lists)
    return Table(
        replace(data, X=_features(frame[used], encoder), feature_names=tuple(used)),
        ids={name: _words(data.X[name]) for name in id_names},
        groups=None if source.groups is None else _words(data.X[source.groups]),
        kinds={**dict.fromkeys(source.names("id"), "id"), **kinds},
        encoder=encoder,
    )


def take_columns(source: DataChoice, data, notes: Mapping[str, Any]) -> Table:
    """Take the columns of a saved model, wherever they stand, and those that name rows."""
    wanted = notes["feature_names"]
    position = {name: j for j, name in enumerate(data.feature_names)}
    missing = [repr(name) for name in wanted if name not in position]
    if missing:
        shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        raise ValueError(
            f"{source.data} lacks {len(missing)} of the {len(wanted)} features of the model: "
            f"{shown}."
        )
    columns = [position[name] for name in wanted]
    if not hasattr(data.X, "iloc"):
        X = data.X if columns == list(range(data.X.shape[1])) else data.X[:, columns]
        return Table(replace(data, X=X, feature_names=tuple(wanted)))
    _refuse_unknown(source, "id", source.names("id"), data.feature_names)
    known = [name for name in notes.get("id_columns", ()) if name in position]
    X = data.X.iloc[:, columns]
    if not notes.get("kinds"):
        X = _numbers(source, X)
    return Table(
        replace(data, X=X, feature_names=tuple(wanted)),
        ids={name: _words(data.X[name]) for name in source.names("id") or known},
        kinds=notes.get("kinds", {}),
    )


def describe_columns(kinds: Mapping[str, str]) -> str:
    """Say in one sentence what columns were taken for."""
    from labelfield.encode.kinds import DROPPED

    by_kind = {kind: [n for n, of in kinds.items() if of == kind] for kind in kinds.values()}
    used = [f"{kind}: {_shown(names)}" for kind, names in by_kind.items() if kind not in DROPPED]
    left = [f"{_shown(names)} ({kind})" for kind, names in by_kind.items() if kind in DROPPED]
    ending = f". Left out: {', '.join(left)}." if left else "."
    return f"Columns taken for {'; '.join(used)}{ending}"


def _shown(names: list[str]) -> str:
    return join_names(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def case_texts(table: Table) -> list[str] | None:
    """Return the text of each row, where a column holds text."""
    columns = [name for name, kind in table.kinds.items() if kind == "text"]
    if not columns:
        return None
    words = [_words(table.data.X[name]) for name in columns]
    return ["\n".join(part for part in row if part) for row in zip(*words)]


def grouped_folds(table: Table, n_folds: int, seed: int = 0) -> list[tuple[Any, Any]]:
    """Return folds, as row numbers, in which the rows of a group stay together."""
    from labelfield.model_selection import MultilabelStratifiedGroupKFold

    splitter = MultilabelStratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    return list(splitter.split(table.data.Y, table.data.Y, groups=table.groups))


def _as_options(complaint: str) -> str:
    """Spell the arguments that a complaint names as options: text= becomes --text."""
    return re.sub(rf"\b({'|'.join(KINDS)})=", r"--\1", complaint)


def _is_matrix(frame, kinds: Mapping[str, str]) -> bool:
    """Whether a table is nothing but numbers without holes."""
    return all(
        kinds[name] == "number" and frame[name].dtype.kind in "iuf" and not frame[name].isna().any()
        for name in frame.columns
    )


def _features(frame, encoder):
    return frame.to_numpy(dtype=float) if encoder is None else frame


def _numbers(source: DataChoice, X):
    """A frame as a float array, for a model that was fitted to numbers only."""
    import numpy as np

    for name in X.columns:
        if X[name].dtype.kind not in "biuf":
            raise ValueError(
                f"{source.data}: column {name!r} holds text or other values, and the model was "
                "fitted to numbers there."
            )
    return X.to_numpy(dtype=float, na_value=np.nan)


def _words(column) -> list[str]:
    from labelfield.encode.columns import read_columns

    (read,) = read_columns(column.to_frame())
    return ["" if word is None else word for word in read.words().tolist()]


def _refuse_unknown(
    source: DataChoice, option: str, names: Sequence[str], columns: Sequence[str]
) -> None:
    for name in names:
        if name not in columns:
            near = get_close_matches(name, columns, n=3)
            hint = f"; did you mean {', '.join(near)}?" if near else "."
            raise ValueError(f"{source.data} has no column {name!r} for --{option}{hint}")
