"""The bytes of one text file, plain or compressed, and errors that name file and line."""

import bz2
import gzip
import zlib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from labelfield._exceptions import DataFormatError

__all__ = ["MAX_BYTES", "Source", "read_source"]

MAX_BYTES = 2**32
_CHUNK = 2**20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, repr=False)
class Source:
    """A text file in memory: its path, and UTF-8 lines that all end in a newline."""

    path: str
    raw: bytes

    def line_of(self, offset: int) -> int:
        """Line number, from 1, of the byte at offset."""
        return self.raw.count(b"\n", 0, offset) + 1

    def error(self, line: int, problem: str) -> DataFormatError:
        return DataFormatError(f"{self.path}, line {line}: {problem}")

    def error_at(self, offset: int, problem: str) -> DataFormatError:
        return self.error(self.line_of(offset), problem)

    @property
    def last_line(self) -> int:
        return max(self.raw.count(b"\n"), 1)


def read_source(path: str | PathLike[str]) -> Source:
    """Read a file that is plain, gzip or bzip2 (told by its first bytes, not by its name)."""
    raw = _decompressed(Path(path))
    if not raw.strip():
        raise DataFormatError(f"{path}, line 1: the file is empty")
    raw = raw.removeprefix(_BYTE_ORDER_MARK)
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not raw.endswith(b"\n"):
        raw += b"\n"
    source = Source(str(path), raw)
    if not raw.isascii():
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise source.error_at(
                error.start, f"byte 0x{raw[error.start]:02x} is not UTF-8; convert the file"
            ) from None
    return source


def _decompressed(path: Path) -> bytes:
    with path.open("rb") as plain:
        magic = plain.read(3)
        plain.seek(0)
        if magic[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=plain) as stream:
                return _drained(stream, path, "gzip")
        if magic == b"BZh":
            with bz2.BZ2File(plain) as stream:
                return _drained(stream, path, "bzip2")
        return _drained(plain, path, "plain")


def _drained(stream, path: Path, form: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        while part := stream.read(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > MAX_BYTES:
                break
    except (EOFError, OSError, zlib.error) as error:
        line = sum(part.count(b"\n") for part in parts) + 1
        raise DataFormatError(
            f"{path}, line {line}: the {form} stream breaks off or is damaged ({error})"
        ) from None
    if size > MAX_BYTES:
        raise DataFormatError(
            f"{path}: more than {MAX_BYTES} bytes of text; split the file or use Parquet"
        )
    return b"".join(parts)
