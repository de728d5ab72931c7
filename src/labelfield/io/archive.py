"""The zip file of a saved model: its header, and the limits within which it is opened."""

import hashlib
import io
import json
import zipfile
from dataclasses import asdict, dataclass, field
from importlib import metadata
from os import PathLike
from pathlib import PurePosixPath
from typing import Any

from labelfield._exceptions import ModelFileError
from labelfield._version import __version__
from labelfield.io._inputs import open_input

__all__ = [
    "HEADER",
    "PROTOCOL",
    "Header",
    "add_header",
    "check_entries_unchanged",
    "open_archive",
    "read_header",
]

HEADER = "labelfield.json"
PROTOCOL = 1
SAFE_BYTES = 2**30
SAFE_RATIO = 100

_ZIP_MAGIC = b"PK\x03\x04"
_HEADER_TYPES = {"labelfield": str, "model": str, "made_with": dict, "notes": dict, "entries": dict}


@dataclass(frozen=True)
class Header:
    """What a model file says about itself.

    Parameters
    ----------
    protocol : int
        Layout of the file.
    labelfield : str
        Version that wrote it.
    model : str
        Class of the model, with its module.
    made_with : mapping of str to str
        Versions of numpy, scipy, scikit-learn and skops at that time.
    notes : mapping
        What the writer added, such as the names of features and labels.
    entries : mapping of str to str
        SHA-256 of everything else in the file, by name.
    """

    protocol: int
    labelfield: str
    model: str
    made_with: dict[str, str] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)


def make_header(model, notes, entries) -> Header:
    """Describe a model that is about to be written."""
    packages = ("numpy", "scipy", "scikit-learn", "skops")
    kind = type(model)
    return Header(
        PROTOCOL,
        __version__,
        f"{kind.__module__}.{kind.__qualname__}",
        {name: metadata.version(name) for name in packages},
        dict(notes or {}),
        entries,
    )


def add_header(payload: bytes, model, notes) -> bytes:
    """Return a skops file with our header as one more entry."""
    buffer = io.BytesIO(payload)
    with zipfile.ZipFile(buffer) as archive:
        entries = _digests(archive)
    try:
        text = json.dumps(asdict(make_header(model, notes, entries)), indent=1)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"notes must hold plain JSON values: {error}.") from None
    with zipfile.ZipFile(buffer, "a", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(HEADER, text)
    return buffer.getvalue()


def _digests(archive: zipfile.ZipFile) -> dict[str, str]:
    return {
        name: hashlib.sha256(archive.read(name)).hexdigest()
        for name in archive.namelist()
        if name != HEADER
    }


def read_header(path: str | PathLike[str]) -> Header:
    """Return what a model file says about itself, without loading the model.

    Parameters
    ----------
    path : path of a file written by `save`

    Returns
    -------
    Header
        With `protocol`, `labelfield` (the version that wrote the file), `model`, `made_with`
        and `notes`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelfield import BinaryRelevance, save
    >>> from labelfield.io import read_header
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.lf")
    ...     save(BinaryRelevance(), path, notes={"made for": "an example"})
    ...     header = read_header(path)
    >>> header.model, header.protocol, header.notes
    ('labelfield.models.relevance.binary_relevance.BinaryRelevance', 1, {'made for': 'an example'})
    """
    return open_archive(path)[0]


def open_archive(path, max_bytes: int | None = None) -> tuple[Header, bytes]:
    """Return the header and the bytes of a model file that is whole, sane and of a known protocol.

    `max_bytes` bounds the unpacked size; None allows 1 GiB, or 100 times the size of the file.
    """
    with open_input(path) as file:
        raw = file.read() if file.peek(4).startswith(_ZIP_MAGIC) else b""
    if max_bytes is None:
        max_bytes = max(SAFE_BYTES, SAFE_RATIO * len(raw))
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            _check_entries(path, archive, max_bytes)
            header = _parse_header(path, archive)
    except ModelFileError:
        raise
    except Exception as error:  # damage makes zipfile and zlib fail in many ways; all mean the same
        raise ModelFileError(
            f"{path} is not a model file, or a damaged one ({error}). Models are written by "
            "labelfield.save; copy the file again, or save the model again."
        ) from error
    return header, raw


def check_entries_unchanged(path, header: Header, raw: bytes) -> None:
    """Refuse a file whose entries are not those that the header was written for."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        found = _digests(archive)
    changed = sorted(
        name for name in {*found, *header.entries} if found.get(name) != header.entries.get(name)
    )
    if changed:
        raise ModelFileError(
            f"{path}: the entry {changed[0]!r} is not what was saved; the file is damaged or was "
            "changed. Copy it again, or save the model again."
        )


def _check_entries(path, archive: zipfile.ZipFile, max_bytes: int) -> None:
    unpacked = 0
    names = archive.namelist()
    if len(set(names)) < len(names):
        raise ModelFileError(f"{path} holds two entries of one name; the file is refused.")
    for entry in archive.infolist():
        if PurePosixPath(entry.filename).name != entry.filename or "\\" in entry.filename:
            raise ModelFileError(
                f"{path} holds an entry {entry.filename!r} with a path in its name, which "
                "labelfield never writes; the file is refused."
            )
        unpacked = _within(path, unpacked + entry.file_size, max_bytes)
        with archive.open(entry) as stream:
            nested = stream.read(len(_ZIP_MAGIC)) == _ZIP_MAGIC
        if nested:  # a sparse matrix is a zip inside the zip
            with zipfile.ZipFile(io.BytesIO(archive.read(entry))) as inner:
                unpacked += sum(part.file_size for part in inner.infolist())
            _within(path, unpacked, max_bytes)


def _within(path, unpacked: int, max_bytes: int) -> int:
    if unpacked > max_bytes:
        raise ModelFileError(
            f"{path} would unpack to more than {unpacked} bytes; the limit is {max_bytes}. "
            "If you know where the file comes from, pass a larger max_bytes to load."
        )
    return unpacked


def _parse_header(path, archive: zipfile.ZipFile) -> Header:
    names = archive.namelist()
    if HEADER not in names:
        if "schema.json" in names:
            raise ModelFileError(
                f"{path} is a skops file that labelfield did not write; open it with skops.io.load."
            )
        raise ModelFileError(
            f"{path} is a zip file without {HEADER}, so not a model that labelfield.save wrote."
        )
    try:
        header = Header(**json.loads(archive.read(HEADER)))
    except (ValueError, TypeError, RecursionError) as error:
        raise ModelFileError(f"{path}: its header {HEADER} cannot be read ({error}).") from error
    _check_protocol(path, header)
    for name, kind in _HEADER_TYPES.items():
        if not isinstance(getattr(header, name), kind):
            raise ModelFileError(f"{path}: its header has no readable {name!r}.")
    return header


def _check_protocol(path, header: Header) -> None:
    """Refuse protocols that no reader of this version knows."""
    if not isinstance(header.protocol, int) or isinstance(header.protocol, bool):
        raise ModelFileError(f"{path} names protocol {header.protocol!r}, which is not a number.")
    writer = f"{path} was written by labelfield {header.labelfield} (protocol {header.protocol})"
    if header.protocol > PROTOCOL:
        raise ModelFileError(
            f"{writer}; this is labelfield {__version__}, which reads up to protocol "
            f"{PROTOCOL}. Upgrade labelfield, or save the model again with this version."
        )
    if header.protocol < 1:
        raise ModelFileError(
            f"{writer}, which no released version reads. Load the model with that version and "
            "save it again."
        )
