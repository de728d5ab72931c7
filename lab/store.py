"""Finished cells on disk, one small JSON file each."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labelfield.io._aside import write_aside

__all__ = ["Store"]


class Store:
    """A folder of finished cells.

    A cell's file appears by renaming a complete one, so that a run that is cut short leaves whole
    files or none.

    Parameters
    ----------
    folder : path, default="results"

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

    def __init__(self, folder: str | os.PathLike = "results"):
        self.folder = Path(folder)

    def write(self, key: str, record: dict[str, Any]) -> None:
        """Store a cell's record under its key, in place of an earlier one."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        with write_aside(path) as file:
            file.write(text)

    def read(self, key: str) -> dict[str, Any] | None:
        """Return a cell's record, or None if there is none."""
        path = self._path(key)
        if not path.exists():
            return None
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            message = f"{path} is not a stored cell ({error}); delete it and run again."
            raise ValueError(message) from None

    def __iter__(self) -> Iterator[str]:
        for path in sorted(self.folder.rglob("*.json")):
            yield path.relative_to(self.folder).as_posix().removesuffix(".json")

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"
