"""CSV, JSON lines and Parquet files as pandas frames, checked for what pandas passes over."""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from io import BytesIO, TextIOWrapper
from os import PathLike

from labelfield._exceptions import DataFormatError
from labelfield.datasets._arff.header import shown
from labelfield.datasets._source import MAX_BYTES, Source, read_source
from labelfield.io._inputs import open_input

__all__ = ["parquet_reader", "read_csv_frame", "read_json_frame", "read_parquet_frame"]

_CELL_BYTES = 8
_QUOTED = re.compile(r'"[^"]*"')
# The last three come from pandas' own notes inside a Parquet file, where they were changed.
_PARQUET_DAMAGE = (ValueError, OSError, NotImplementedError, LookupError, TypeError, AttributeError)


def read_csv_frame(
    path: str | PathLike[str],
    separator: str | None,
    *,
    as_written: Sequence[str] = (),
    as_text: Sequence[str] = (),
    header: bool = True,
):
    """Read a CSV file, plain or packed, whose rows all have as many cells.

    Cells of the columns `as_written` stay so, those of `as_text` are text unless they are empty;
    pandas guesses the other types. Without a header columns are called 1, 2, ... A separator of
    None is the one that the first line shows.
    """
    pd = _pandas()
    source = read_source(path, keep_line_ends=True)
    separator = _shown_separator(source) if separator is None else separator
    if len(separator) != 1 or not separator.isascii() or separator in '"\n\r\0':
        raise ValueError(f"separator must be one plain character, such as ';'; got {separator!r}.")
    written = {}
    if as_written or not _is_plain_table(source, separator, header):
        written = _written_cells(source, separator, as_written, header)
    try:
        names = {} if header else {"names": next(_checked_rows(source, separator, header))}
        frame = pd.read_csv(
            BytesIO(source.raw),
            sep=separator,
            index_col=False,
            low_memory=False,
            dtype=dict.fromkeys(as_text, str),
            header=0 if header else None,
            **names,
        ).assign(**written)
    except ValueError as error:
        raise DataFormatError(f"{path}: not a readable table ({error})") from error
    return _checked(path, frame)


def _shown_separator(source: Source) -> str:
    """The separator in the first line; a comma counts most."""
    line = _QUOTED.sub("", source.raw[: source.raw.index(b"\n")].decode("utf-8"))
    return next((one for one in (",", ";", "\t", "|") if one in line), ",")


def read_json_frame(path: str | PathLike[str]):
    """Read JSON lines: one object a line, its names the columns; what a line lacks is missing."""
    pd = _pandas()
    source = read_source(path)
    cells: dict[str, dict[int, object]] = {}
    n_rows = 0
    for number, line in enumerate(source.raw.decode("utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        for name, value in _json_object(source, number, line).items():
            if isinstance(value, dict):
                raise source.error(number, f"{shown(name)} holds an object; only plain values fit")
            cells.setdefault(name, {})[n_rows] = value
        n_rows += 1
    columns = {name: [column.get(i) for i in range(n_rows)] for name, column in cells.items()}
    return _checked(path, pd.DataFrame(columns, index=range(n_rows)))


def _json_object(source: Source, number: int, line: str) -> dict[str, object]:
    def unrepeated(pairs):
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise source.error(number, f"{shown(name)} stands there twice")
        return dict(pairs)

    try:
        row = json.loads(line, object_pairs_hook=unrepeated)
    except (json.JSONDecodeError, RecursionError) as error:
        raise source.error(number, f"not a line of JSON ({error})") from None
    if not isinstance(row, dict):
        raise source.error(number, "a line must hold one JSON object")
    return row


def read_parquet_frame(path: str | PathLike[str]):
    """Read a Parquet file, unless it would unpack to more than a text file may have."""
    _pandas()
    ParquetFile = parquet_reader()
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


def parquet_reader():
    """Return the class of pyarrow that reads Parquet files."""
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install 'labelfield[frames]'.") from error
    return ParquetFile


def _pandas():
    try:
        import pandas
    except ImportError as error:
        raise ImportError("Tables need pandas: pip install 'labelfield[frames]'.") from error
    return pandas


def _is_plain_table(source: Source, separator: str, header: bool) -> bool:
    """Whether all lines have as many cells and no name repeats, seen without parsing a cell."""
    if b'"' in source.raw or b"\r" in source.raw:
        return False
    n_separators = {line.count(separator.encode()) for line in BytesIO(source.raw)}
    names = source.raw[: source.raw.index(b"\n")].decode("utf-8").split(separator)
    return len(n_separators) == 1 and not (header and len(set(names)) < len(names))


def _written_cells(
    source: Source, separator: str, columns: Sequence[str], header: bool
) -> dict[str, list[str]]:
    """The cells of some columns as they are written; every row is checked on the way."""
    rows = _checked_rows(source, separator, header)
    names = next(rows, [])
    position = {name: names.index(name) for name in columns if name in names}
    cells: dict[str, list[str]] = {name: [] for name in position}
    for row in rows:
        for name, j in position.items():
            cells[name].append(row[j])
    return cells


def _checked_rows(source: Source, separator: str, header: bool) -> Iterator[list[str]]:
    """The names and the rows; columns of one name and rows of another length are refused."""
    text = TextIOWrapper(BytesIO(source.raw), encoding="utf-8", newline="")
    rows = csv.reader(text, delimiter=separator)
    names: list[str] = []
    line = 1
    try:
        for row in rows:
            if not _is_blank(row):
                if not names:
                    names = row if header else [str(j + 1) for j in range(len(row))]
                    _refuse_repeated(source.path, names)
                    if not header:
                        yield names
                if len(row) != len(names):
                    first = "header" if header else "first line"
                    raise source.error(line, f"{len(row)} cells where the {first} has {len(names)}")
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
