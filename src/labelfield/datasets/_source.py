"""The bytes of one text file, plain or packed, and errors that name file and line."""

import bz2
import codecs
import gzip
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO

from labelfield._exceptions import DataFormatError
from labelfield.io._inputs import open_input

__all__ = ["MAX_BYTES", "Source", "file_ending", "read_source"]

MAX_BYTES = 2**32
# A packed file may grow to this size, or else to so many times its own.
SAFE_BYTES = 2**30
SAFE_RATIO = 100
_PACKED_ENDINGS = (".gz", ".bz2", ".xz", ".zip")

_CHUNK = 2**20
_DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)


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


def file_ending(path: str | PathLike[str]) -> str:
    """The ending of a file name in lower case; that of the packing does not count."""
    path = Path(path)
    if path.suffix.lower() in _PACKED_ENDINGS:
        path = path.with_suffix("")
    return path.suffix.lower()


def read_source(path: str | PathLike[str], *, keep_line_ends: bool = False) -> Source:
    """Read a text file, plain or packed (which its first bytes tell, not its name).

    Text is UTF-8, or UTF-16 with a byte order mark, and may have 4 GiB. A packed file may also not
    grow beyond 1 GiB or, if that is more, 100 times its own size. Lines end in one newline each,
    unless their ends are kept as written (a quoted cell of a table may hold others).
    """
    raw = _in_utf8(path, _unpacked(path))
    if not raw.strip():
        raise DataFormatError(f"{path}, line 1: the file is empty")
    if b"\r" in raw and not keep_line_ends:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not raw.endswith(b"\n"):
        raw += b"\n"
    source = Source(str(path), raw)
    if (zero := raw.find(0)) >= 0:
        raise source.error_at(zero, "a zero byte; this is not UTF-8 text, convert the file")
    if not raw.isascii():
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise source.error_at(
                error.start, f"byte 0x{raw[error.start]:02x} is not UTF-8; convert the file"
            ) from None
    return source


def _in_utf8(path: str | PathLike[str], raw: bytes) -> bytes:
    """The text without its byte order mark, which tells UTF-16, as spreadsheets write it."""
    if not raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.removeprefix(codecs.BOM_UTF8)
    try:
        return raw.decode("utf-16").encode("utf-8")
    except UnicodeError as error:
        raise DataFormatError(f"{path}: begins as UTF-16 but is not ({error})") from None


def _only_member(packed: IO[bytes]) -> IO[bytes]:
    archive = zipfile.ZipFile(packed)
    if len(archive.infolist()) != 1:
        raise zipfile.BadZipFile(f"it has {len(archive.infolist())} members; one is read")
    return archive.open(archive.infolist()[0])


# First bytes of a packed file: what it is called, and how it is opened.
_PACKINGS: dict[bytes, tuple[str, Callable[[IO[bytes]], IO[bytes]]]] = {
    b"\x1f\x8b": ("gzip", lambda packed: gzip.GzipFile(fileobj=packed)),
    b"BZh": ("bzip2", bz2.BZ2File),
    b"\xfd7zXZ\x00": ("xz", lzma.LZMAFile),
    b"PK\x03\x04": ("zip", _only_member),
    b"": ("plain", lambda plain: plain),
}


def _unpacked(path: str | PathLike[str]) -> bytes:
    parts: list[bytes] = []
    with open_input(path) as file:
        size, first = os.fstat(file.fileno()).st_size, file.peek()
        form, opened = next(how for magic, how in _PACKINGS.items() if first.startswith(magic))
        limit = MAX_BYTES
        if form != "plain":
            limit = min(max(SAFE_BYTES, SAFE_RATIO * size), MAX_BYTES)
        left = limit
        try:
            with opened(file) as stream:
                while left >= 0 and (part := stream.read(_CHUNK)):
                    parts.append(part)
                    left -= len(part)
        except _DAMAGE as error:
            line = sum(part.count(b"\n") for part in parts) + 1
            raise DataFormatError(
                f"{path}, line {line}: the {form} stream breaks off or is damaged ({error})"
            ) from None
    if left < 0:
        way_out = "split it or use Parquet" if form == "plain" else "if you trust it, unpack it"
        raise DataFormatError(
            f"{path}: more than {limit} bytes of text, the limit for this {form} file; {way_out}"
        )
    return b"".join(parts)
