"""R data files (.rda), read as a stream: of a vector of numbers only those that are not 0 are kept.

The layout is that of "R Internals", section 1.8, in its big-endian binary form.
"""

import bz2
import gzip
import lzma
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import IO, Any, NamedTuple

import numpy as np

from labelfield._exceptions import DataFormatError
from labelfield.io._inputs import open_input

__all__ = ["Numbers", "RObject", "read_rda"]

MAX_LENGTH = 2**26  # of a vector
MAX_DEPTH = 20
CHUNK = 2**20
MISSING = -(2**31)  # R's NA among integers

SYMBOL, PAIRS, TEXT, LOGICALS, INTEGERS, REALS, TEXTS, ITEMS = 1, 2, 9, 10, 13, 14, 16, 19
NIL, REFERENCE = 254, 255
DTYPES = {LOGICALS: ">i4", INTEGERS: ">i4", REALS: ">f8"}
HAS_ATTRIBUTES, HAS_TAG = 0x200, 0x400
OPENED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError)


class Numbers(NamedTuple):
    """A vector of numbers: its length, where it is not 0, and what it is there; NA is NaN."""

    length: int
    at: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class RObject:
    """An object of R: None, a str, a list of str, Numbers or a list of objects; and attributes."""

    value: Any
    attributes: Mapping[str, "RObject"] = field(default_factory=dict)

    def texts(self, attribute: str) -> list[str]:
        """Return an attribute that is a list of texts, or an empty list."""
        held = self.attributes[attribute].value if attribute in self.attributes else None
        return held if isinstance(held, list) and all(isinstance(t, str) for t in held) else []

    def named(self) -> dict[str, "RObject"]:
        """Return the objects of a list by their names."""
        return dict(zip(self.texts("names"), self.value if isinstance(self.value, list) else []))


def read_rda(path: str | PathLike[str]) -> dict[str, RObject]:
    """Read the objects of an R data file by their names, packed or not.

    Vectors, lists and their attributes are read, and nothing of R is run; a file with anything
    else (functions, environments) is refused.
    """
    with open_input(path) as file:
        first = file.peek(6)
        unpack = next((how for magic, how in OPENED.items() if first.startswith(magic)), None)
        try:
            return _objects(_Reader(file if unpack is None else unpack(file)))
        except (*DAMAGE, _NotReadError) as error:
            raise DataFormatError(f"{path}: not an R data file that can be read: {error}") from None


class _NotReadError(Exception):
    pass


def _objects(reader: "_Reader") -> dict[str, RObject]:
    reader.skip_head()
    return dict(reader.item().attributes)


class _Reader:
    """Items of a stream, one after the other."""

    def __init__(self, stream: IO[bytes]):
        self._stream = stream
        self._symbols: list[str] = []

    def skip_head(self) -> None:
        """Pass over what tells the version."""
        magic = self._stream.read(7)
        if magic not in (b"RDX2\nX\n", b"RDX3\nX\n"):
            raise _NotReadError(f"it begins with {magic!r}, not with RDX2 or RDX3")
        version, *_ = (self._integer() for _ in range(3))
        if version == 3:
            self._bytes(self._length())  # the name of an encoding

    def item(self, depth: int = 0) -> RObject:
        """Return the next item; a list of pairs has its tags among the attributes."""
        if depth > MAX_DEPTH:
            raise _NotReadError(f"lists are nested more than {MAX_DEPTH} deep")
        flags = self._integer()
        kind = flags & 0xFF
        if kind == PAIRS:
            return RObject(None, self._pairs(flags, depth))
        if kind == NIL:
            return RObject(None)
        if kind in (SYMBOL, REFERENCE):
            return RObject(self._symbol(flags, depth))
        if kind == TEXT:
            return RObject(self._text())
        value = self._vector(kind, depth)
        pairs = self.item(depth + 1).attributes if flags & HAS_ATTRIBUTES else {}
        return RObject(value, pairs)

    def _vector(self, kind: int, depth: int) -> Any:
        if kind in DTYPES:
            return self._numbers(np.dtype(DTYPES[kind]))
        if kind == TEXTS:
            return [self.item(depth + 1).value for _ in range(self._length())]
        if kind == ITEMS:
            return [self.item(depth + 1) for _ in range(self._length())]
        raise _NotReadError(f"it holds an object of type {kind}, which is not plain data")

    def _pairs(self, flags: int, depth: int) -> dict[str, RObject]:
        pairs = {}
        while flags & 0xFF == PAIRS:
            if flags & HAS_ATTRIBUTES:
                self.item(depth + 1)
            tag = self.item(depth + 1).value if flags & HAS_TAG else None
            pairs[str(tag)] = self.item(depth + 1)
            flags = self._integer()
        if flags & 0xFF != NIL:
            raise _NotReadError("a list of pairs does not end")
        return pairs

    def _symbol(self, flags: int, depth: int) -> str:
        if flags & 0xFF == SYMBOL:
            self._symbols.append(str(self.item(depth + 1).value))
            return self._symbols[-1]
        at = flags >> 8 or self._integer()
        if not 1 <= at <= len(self._symbols):
            raise _NotReadError(f"it refers to name {at} of {len(self._symbols)}")
        return self._symbols[at - 1]

    def _text(self) -> str | None:
        length = self._integer()
        if length == -1:
            return None
        raw = self._bytes(_sound(length))
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return raw.decode("latin-1")

    def _numbers(self, dtype: np.dtype) -> Numbers:
        length = self._length()
        at, values = [], []
        step = CHUNK // dtype.itemsize
        for start in range(0, length, step):
            raw = self._bytes(min(step, length - start) * dtype.itemsize)
            part = np.frombuffer(raw, dtype)
            kept = np.flatnonzero(part)
            at.append(kept + start)
            values.append(part[kept].astype(float))
        where, what = np.concatenate([[], *at]).astype(int), np.concatenate([[], *values])
        if dtype.kind == "i":
            what[what == MISSING] = np.nan
        return Numbers(length, where, what)

    def _length(self) -> int:
        return _sound(self._integer())

    def _integer(self) -> int:
        number: int = struct.unpack(">i", self._bytes(4))[0]
        return number

    def _bytes(self, count: int) -> bytes:
        raw = self._stream.read(count)
        if len(raw) < count:
            raise _NotReadError("it breaks off")
        return raw


def _sound(length: int) -> int:
    if not 0 <= length <= MAX_LENGTH:
        raise _NotReadError(f"a vector has length {length}; at most {MAX_LENGTH} are read")
    return length
