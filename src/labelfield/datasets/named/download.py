"""Public data sets from the repositories that keep them: pinned files, checked after a download."""

import hashlib
import json
import warnings
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

from labelfield._exceptions import DataFormatError
from labelfield.datasets.named.folders import downloads_folder
from labelfield.datasets.named.mldr import as_arff
from labelfield.io._aside import write_aside

__all__ = ["PublicFile", "PublicSource", "fetch_files", "public_folder", "public_sources"]

HOST = "https://raw.githubusercontent.com"
SECONDS = 60  # without an answer
MAX_BYTES = 2**29  # of a file whose size is not pinned


class PublicFile(NamedTuple):
    """A file in a public repository at one commit.

    `digest` is its SHA-256 where we have seen the file; else the identifier that git gives its
    content (40 digits), as the repository lists it.
    """

    name: str
    repository: str  # owner/name@commit
    path: str
    size: int | None
    digest: str

    @property
    def address(self) -> str:
        """Where the file can be downloaded."""
        repository, commit = self.repository.split("@")
        return f"{HOST}/{repository}/{commit}/{quote(self.path)}"

    def accepts(self, content: bytes) -> bool:
        """Whether the content is that of the pinned file."""
        if len(self.digest) == 64:
            return hashlib.sha256(content).hexdigest() == self.digest
        header = f"blob {len(content)}\0".encode()
        return hashlib.sha1(header + content, usedforsecurity=False).hexdigest() == self.digest


class PublicSource(NamedTuple):
    """What to cite, the terms of use as far as they are known, and the files of a data set."""

    cite: str
    terms: str
    files: tuple[PublicFile, ...]

    def notice(self, name: str) -> str:
        """Return what a user should know before the files are fetched."""
        repositories = sorted({file.repository.split("@")[0] for file in self.files})
        return (
            f"{name} ({', '.join(repositories)} on GitHub). Cite: {self.cite}. Terms: {self.terms}."
        )


@cache
def public_sources() -> dict[str, PublicSource]:
    """Return the data sets that can be fetched, by name.

    Examples
    --------
    >>> from labelfield.datasets.named.download import public_sources
    >>> [file.name for file in public_sources()["scene"].files]
    ['scene-test.arff', 'scene-train.arff', 'scene.xml']
    """
    table = package_files("labelfield.datasets.named").joinpath("sources.json").read_text("utf-8")
    return {
        name: PublicSource(
            entry["cite"], entry["terms"], tuple(PublicFile(*row) for row in entry["files"])
        )
        for name, entry in json.loads(table).items()
    }


def fetch_files(name: str, *, quiet: bool = False) -> Path:
    """Return the folder with the files of a data set, after fetching those that are not there.

    Citation and terms of use are shown as a warning first, unless `quiet`. Every file has the
    pinned checksum, or an error says which has not. Files that are there stay, so that an
    interrupted download goes on. Data of R (.rda) are written anew as ARFF beside the file.
    """
    source = public_sources()[name]
    folder = downloads_folder() / name
    missing = [file for file in source.files if not _is_there(folder, file)]
    if missing and not quiet:
        warnings.warn(f"Fetching {source.notice(name)}", stacklevel=3)
    folder.mkdir(parents=True, exist_ok=True)
    for file in missing:
        content = _download(name, file)
        if not file.accepts(content):
            raise DataFormatError(
                f"{file.address} is not the file of {name} that we know: its checksum is not "
                f"{file.digest}. Nothing was kept of it."
            )
        path = folder / file.name
        with write_aside(path, "wb") as stream:
            stream.write(content)
        if _is_of_r(path):
            as_arff(path)
    return folder


def public_folder(name: str) -> Path | None:
    """Return the folder of a data set whose files were all fetched and not changed, or None."""
    folder = downloads_folder() / name
    source = public_sources().get(name)
    if source is None or not all(_is_there(folder, file) for file in source.files):
        return None
    return folder


def _is_there(folder: Path, file: PublicFile) -> bool:
    path = folder / file.name
    if not path.is_file() or not file.accepts(path.read_bytes()):
        return False
    return not _is_of_r(path) or path.with_suffix(".arff").is_file()


def _is_of_r(path: Path) -> bool:
    return path.suffix == ".rda"


def _download(name: str, file: PublicFile) -> bytes:
    try:
        with urlopen(file.address, timeout=SECONDS) as answer:
            content: bytes = answer.read((file.size or MAX_BYTES) + 1)
    except (URLError, OSError) as error:
        raise ConnectionError(
            f"{file.name} of {name} could not be fetched from {file.address}: {error}. Or put the "
            "file into a folder of that name inside the folder that LABELFIELD_DATA names."
        ) from error
    return content
