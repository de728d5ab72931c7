"""Write a file aside and rename it: a reader, a crash or a full disk never meets half of it."""

import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, Any

__all__ = ["write_aside"]


@contextmanager
def write_aside(path: str | PathLike[str], mode: str = "w", **options: Any) -> Iterator[IO[Any]]:
    """Open a hidden file beside `path` that takes its place when the block ends without an error.

    If the block fails, or the disk is full, the hidden file is removed and what was at `path`
    stays. A replaced file keeps its permissions. A symbolic link stays a link: the file it points
    to is replaced.

    Parameters
    ----------
    path : path
        Its folder must exist; devices, pipes and folders are refused.
    mode : {"w", "wb"}, default "w"
        Text is UTF-8 unless `encoding` says otherwise.
    **options
        Passed to `open`, such as `newline`.

    Examples
    --------
    >>> from labelfield.io._aside import write_aside
    >>> with write_aside("notes.txt") as file:
    ...     _ = file.write("whole or not at all")
    """
    target = Path(os.path.realpath(path))
    _refuse_unless_replaceable(path, target)
    if "b" not in mode:
        options.setdefault("encoding", "utf-8")
    unfinished = target.with_name(f".labelfield-{uuid.uuid4().hex}.part")
    try:
        with _create(unfinished, mode.replace("w", "x"), **options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            unfinished.chmod(stat.S_IMODE(target.stat().st_mode))
        unfinished.replace(target)
    except OSError as error:
        if error.filename is None or error.filename == str(unfinished):
            error.filename, error.filename2 = str(path), None  # the file that the caller knows
        raise
    finally:
        unfinished.unlink(missing_ok=True)


def _create(path: Path, mode: str, **options: Any) -> IO[Any]:
    return path.open(mode, **options)


def _refuse_unless_replaceable(path: str | PathLike[str], target: Path) -> None:
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target.parent} is not a folder; make it first.")
    if target.exists() and not target.is_file():
        raise OSError(f"{path} is not a regular file and cannot be replaced; give another name.")
