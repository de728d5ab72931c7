"""CSV and Parquet files as pandas frames, checked for what pandas passes over in silence."""

import csv
from collections.abc import Iterator, Sequence
from io import BytesIO, TextIOWrapper
from os import PathLike

from labelfield._exceptions import DataFormatError
from labelfield.datasets._arff.header import shown
from labelfield.datasets._source import MAX_BYTES, Source, read_source
from labelfield.io._inputs import open_input

__all__ = ["read_csv_frame", "read_parquet_frame"]

_CELL_BYTES = 8
# The last three come from pandas' own notes inside a Parquet file, where they were changed.
_PARQUET_DAMAGE = (ValueError, OSError, NotImplementedError, LookupError, TypeError, AttributeError)


def read_csv_frame(path: str | PathLike[str], separator: str, as_text: Sequence[str] = ()):
    """Read a CSV file, plain or packed, whose rows all have the cells of its header.

    Cells of the columns `as_text` stay as they are written; pandas guesses the other types.
    """
    if len(separator) != 1 or not separator.isascii() or separator in '"\n\r\0':
        raise ValueError(f"separator must be one plain character, such as ';'; got {separator!r}.")
    pd = _pandas()
    source = read_source(path, keep_line_ends=True)
    if as_text or not _is_plain_table(source, separator):
        written = _written_cells(source, separator, as_text)
    else:
        written = {}
    try:
        frame = pd.read_csv(BytesIO(source.raw), sep=separator, index_col=False, low_memory=False)
        frame = frame.assign(**written)
    except ValueError as error:
        raise DataFormatError(f"{path}: not a readable table ({error})") from error
    return _checked(path, frame)


def read_parquet_frame(path: str | PathLike[str]):
    """Read a Parquet file, unless it would unpack to more than a text file may have."""
    _pandas()
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install 'labelfield[frames]'.") from error
    with open_input(path) as file:
        try:
            content = ParquetFile(file)
            about = content.metadata
            groups = [about.row_group(k) for k in range(about.num_row_groups)]
            size = sum(
                max(group.total_byte_size, _CELL_BYTES * group.num_rows * about.num_columns)
                for group in groups
            )
            if size <= MAX_BYTES:
                frame = content.read().to_pandas()
        except _PARQUET_DAMAGE as error:
            raise DataFormatError(f"{path}: not a readable table ({error})") from error
    if size > MAX_BYTES:
        raise DataFormatError(
            f"{path}: {size} bytes when unpacked, where {MAX_BYTES} are the limit; split the file"
        )
    return _checked(path, frame)


def _pandas():
    try:
        import pandas
    except ImportError as error:
        raise ImportError("Tables need pandas: pip install 'labelfield[frames]'.") from error
    return pandas


def _is_plain_table(source: Source, separator: str) -> bool:
    """Whether all lines have as many cells and no name repeats, seen without parsing a cell."""
    if b'"' in source.raw or b"\r" in source.raw:
        return False
    n_separators = {line.count(separator.encode()) for line in BytesIO(source.raw)}
    names = source.raw[: source.raw.index(b"\n")].decode("utf-8").split(separator)
    return len(n_separators) == 1 and len(set(names)) == len(names)


def _written_cells(source: Source, separator: str, columns: Sequence[str]) -> dict[str, list[str]]:
    """The cells of some columns as they are written; every row is checked on the way."""
    rows = _checked_rows(source, separator)
    names = next(rows, [])
    position = {name: names.index(name) for name in columns if name in names}
    cells: dict[str, list[str]] = {name: [] for name in position}
    for row in rows:
        for name, j in position.items():
            cells[name].append(row[j])
    return cells


def _checked_rows(source: Source, separator: str) -> Iterator[list[str]]:
    """The header and the rows; columns of one name and rows of another length are refused."""
    text = TextIOWrapper(BytesIO(source.raw), encoding="utf-8", newline="")
    rows = csv.reader(text, delimiter=separator)
    names: list[str] = []
    line = 1
    try:
        for row in rows:
            if not _is_blank(row):
                if not names:
                    names = row
                    _refuse_repeated(source.path, names)
                if len(row) != len(names):
                    raise source.error(line, f"{len(row)} cells where the header has {len(names)}")
                yield row
            line = rows.line_num + 1
    except csv.Error as error:
        raise source.error(line, f"not a readable table ({error}); Parquet has no limit") from None


def _is_blank(row: list[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


def _refuse_repeated(path: str | PathLike[str], names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataFormatError(
                f"{path}, line 1: two columns are called {shown(name)}; rename or remove one"
            )
        seen.add(name)


def _checked(path: str | PathLike[str], frame):
    frame.columns = [str(name) for name in frame.columns]
    _refuse_repeated(path, list(frame.columns))
    if not len(frame):
        raise DataFormatError(f"{path}: the table has no row")
    return frame
