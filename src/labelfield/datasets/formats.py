"""The file formats that can be read: a new one is a module and an entry here."""

import inspect
from os import PathLike

from labelfield.datasets import arff, svmlight, table
from labelfield.datasets._format import Format
from labelfield.datasets._source import file_ending
from labelfield.datasets.dataset import Dataset

__all__ = ["FORMATS", "find_format", "read_dataset"]

FORMATS: tuple[Format, ...] = (
    arff.FORMAT,
    table.CSV_FORMAT,
    table.JSON_FORMAT,
    table.PARQUET_FORMAT,
    svmlight.FORMAT,
)


def find_format(path: str | PathLike[str]) -> Format | None:
    """The format that the ending of a file name tells, packed or not; None if it tells none."""
    ending = file_ending(path)
    return next((form for form in FORMATS if ending in form.endings), None)


def read_dataset(path: str | PathLike[str], **arguments) -> Dataset:
    """Read a multi-label data file by its ending: ARFF, CSV, JSON lines, Parquet, svmlight.

    Parameters
    ----------
    path : path
        Such as scene.arff, reviews.csv.gz or rcv1.svm.
    **arguments
        Those of `read_arff`, `read_table` or `read_svmlight`, whichever reads the file.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from labelfield.datasets import read_dataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.csv")
    ...     _ = path.write_text("size,sun,sea" + chr(10) + "3,1,0" + chr(10))
    ...     data = read_dataset(path, labels=["sun", "sea"])
    >>> data
    Dataset('toy', n=1, d=1, L=2, frame)
    """
    form = find_format(path)
    if form is None:
        known = ", ".join(ending for one in FORMATS for ending in one.endings)
        raise ValueError(f"{path}: no format has this ending; known are {known}.")
    allowed = list(inspect.signature(form.read).parameters)[1:]
    for name in arguments:
        if name not in allowed:
            raise ValueError(f"{form.name} have no argument {name!r}; they have {allowed}.")
    return form.read(path, **arguments)
