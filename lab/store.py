"""Finished cells on disk: lines of JSON, in one file per data set."""

import fcntl
import json
import os
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from lab.packing import pack, unpack
from labelfield.io._aside import write_aside

__all__ = ["CELLS", "Store"]

CELLS = Path(__file__).parent / "results"  # committed, so that everybody sees what was computed
DIGITS = 9  # of a stored figure


class Store:
    """A folder of finished cells.

    Cells are added as lines, so that a run that is cut short loses the line it was writing at
    most. Where a key has several lines, the last one counts; `tidy` drops the others, and puts the
    cells of a row into one line.

    Parameters
    ----------
    folder : path, default=CELLS

    Examples
    --------
    >>> from lab import Store
    >>> store = Store("results")
    >>> store.write("scene/br-0", {"figures": {"own": {"hamming_loss": 0.1}}})
    >>> store.read("scene/br-0")["figures"]["own"]
    {'hamming_loss': 0.1}
    >>> list(store)
    ['scene/br-0']
    """

    def __init__(self, folder: str | os.PathLike = CELLS):
        self.folder = Path(folder)
        self._known: dict[Path, tuple[Any, dict[str, Any]]] = {}

    def write(self, key: str, record: dict[str, Any]) -> None:
        """Store a cell's record under its key; it counts in place of an earlier one."""
        line = _text({"key": key, **record})
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        with _open_locked(path) as file:
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)  # a line that was never finished
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def read(self, key: str) -> dict[str, Any] | None:
        """Return a cell's record, or None if there is none."""
        return self._records(self._path(key)).get(key)

    def tidy(self, without: Container[str] = ()) -> None:
        """Write every file anew: one line for the cells of a row, in the order of the keys.

        Other runs may add cells meanwhile: they wait.

        Parameters
        ----------
        without : container of str
            Keys of cells to be dropped.
        """
        for path in sorted(self.folder.glob("*.jsonl")):
            with _open_locked(path), write_aside(path, "wb") as file:
                kept = {k: one for k, one in self._records(path).items() if k not in without}
                file.writelines(map(_text, pack(kept)))

    def __iter__(self) -> Iterator[str]:
        for path in sorted(self.folder.glob("*.jsonl")):
            yield from sorted(self._records(path))

    def _records(self, path: Path) -> dict[str, Any]:
        """Return the records of a file by key, read anew if it has changed."""
        if not path.exists():
            return {}
        state = path.stat()
        seen = (state.st_ino, state.st_size, state.st_mtime_ns)
        if self._known.get(path, (None,))[0] != seen:
            self._known[path] = seen, _parse(path)
        return self._known[path][1]

    def _path(self, key: str) -> Path:
        return self.folder / f"{key.partition('/')[0]}.jsonl"

    def __getstate__(self) -> dict[str, Any]:
        return {"folder": self.folder, "_known": {}}


def _open_locked(path: Path) -> BinaryIO:
    """Open a file for adding to it, with no other process doing so until it is closed."""
    while True:
        file = path.open("ab+")
        fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
        file.close()  # while we waited, it was written anew


def _text(line: dict[str, Any]) -> bytes:
    text = json.dumps(_rounded(line), ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"


def _rounded(value: Any) -> Any:
    """Return plain data with shorter floats."""
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _parse(path: Path) -> dict[str, Any]:
    *lines, _ = path.read_bytes().split(b"\n")  # what follows the last line end is unfinished
    records = {}
    for number, line in enumerate(lines, start=1):
        try:
            records.update(unpack(json.loads(line)))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            message = f"{path}, line {number} is not a stored cell ({error}); delete the line."
            raise ValueError(message) from None
    return records
