"""What a file format tells about itself; `formats` lists them all."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from labelfield.datasets.dataset import Dataset

__all__ = ["Format"]

Notes = Mapping[str, Any]


def _nothing(notes: Notes) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Format:
    """One file format: how its files end, who reads them, and what can be asked of the reader.

    Attributes
    ----------
    name : str
        As messages call it, such as "ARFF files".
    endings : tuple of str
        In lower case; a packed file has one of these before .gz, .bz2, .xz or .zip.
    read : callable
        `read(path, **arguments)` returns a Dataset.
    options : mapping of str to str
        Options of the command line, each with the argument of `read` that it sets.
    label_options : tuple of str
        Those options that say which columns are labels; at most one may be given.
    needs_labels : bool
        Whether one of them must be given, because files of this format do not say it.
    rows_list_labels : bool
        Whether each row lists its labels, so that one that no row lists is merely absent.
    unlabelled : mapping
        Arguments of `read` with which no label is looked for.
    labels_like, columns_like : callable
        Arguments of `read` that give the labels, and the columns, of a saved model; both get
        what the model remembers of its training data: "feature_names", "label_names", and
        "reading", what the reader found out about the labels.
    is_table : bool
        Whether X is a data frame, whose columns may be of any kind; the reader then takes
        `as_text`.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[..., Dataset]
    options: Mapping[str, str] = field(default_factory=dict)
    label_options: tuple[str, ...] = ()
    needs_labels: bool = False
    rows_list_labels: bool = False
    unlabelled: Mapping[str, Any] = field(default_factory=dict)
    labels_like: Callable[[Notes], dict[str, Any]] = _nothing
    columns_like: Callable[[Notes], dict[str, Any]] = _nothing
    is_table: bool = False
