"""Results as lines of JSON, appended one by one as they come."""

import json
import os
from pathlib import Path
from typing import Any

__all__ = ["Lines"]


class Lines:
    """A file with one JSON object a line.

    A line is on disk before the next result is computed. A last line without its end, which an
    interruption in the middle of writing leaves, does not count and is cut off by the next one.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> from lab.arena.lines import Lines
    >>> lines = Lines("arena.jsonl")
    >>> lines.append({"set": "scene", "fold": 0})
    >>> lines.read()
    [{'set': 'scene', 'fold': 0}]
    """

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)

    def read(self) -> list[dict[str, Any]]:
        """Return all complete lines."""
        if not self.path.exists():
            return []
        records = []
        for number, line in enumerate(self.path.read_bytes().split(b"\n")[:-1], start=1):
            try:
                records.append(json.loads(line))
            except ValueError as error:
                raise ValueError(f"{self.path}, line {number} is not JSON ({error}).") from None
        return records

    def append(self, record: dict[str, Any]) -> None:
        """Write a line and wait until it is on disk."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(record, ensure_ascii=False, allow_nan=False)
        with self.path.open("ab+") as file:
            self._cut_off_rest(file)
            file.write(text.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _cut_off_rest(self, file: Any) -> None:
        """Remove what follows the last line end."""
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return
        file.seek(size - 1)
        if file.read(1) == b"\n":
            return
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
