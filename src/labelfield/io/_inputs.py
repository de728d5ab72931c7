"""Open input files: regular ones only, so that no pipe hangs and no device floods the memory."""

import os
import stat
from io import BufferedReader
from os import PathLike

from labelfield._exceptions import DataFormatError

__all__ = ["open_input", "read_input"]


def open_input(path: str | PathLike[str]) -> BufferedReader:
    """Open a regular file for reading bytes; pipes, devices and folders are refused."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {os.fspath(path)!r}.") from None
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a pipe or device"
        raise OSError(
            f"{path} is {kind}, not a regular file; copy what it gives into a file first."
        )
    return open(path, "rb")  # noqa: SIM115, the caller closes it


def read_input(path: str | PathLike[str], max_bytes: int) -> bytes:
    """Return the content of a regular file that has at most `max_bytes` bytes."""
    with open_input(path) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise DataFormatError(f"{path}: more than {max_bytes} bytes, the limit for such a file")
    return content
