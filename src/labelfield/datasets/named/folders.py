"""The data folder: one folder per data set, the parts named by their files."""

import os
import re
from pathlib import Path

from labelfield._exceptions import DataFormatError
from labelfield.datasets import arff
from labelfield.datasets._format import Format
from labelfield.datasets.formats import find_format

__all__ = [
    "arff_files",
    "cache_folder",
    "downloads_folder",
    "find_file",
    "folder_of",
    "is_arff",
    "label_file",
    "named_folders",
    "part_files",
]

_PART = re.compile(r"(?:^|[-_.])(train|test)(?=[-_.])")


def _data_folder() -> Path | None:
    """The folder that LABELFIELD_DATA names, or None."""
    root = os.environ.get("LABELFIELD_DATA")
    return Path(root) if root and Path(root).is_dir() else None


def cache_folder() -> Path:
    """Where fetched data sets are kept: LABELFIELD_CACHE, or ~/.cache/labelfield."""
    return Path(os.environ.get("LABELFIELD_CACHE") or Path.home() / ".cache" / "labelfield")


def downloads_folder() -> Path:
    """Where files fetched from public repositories are kept, a folder per data set."""
    return cache_folder() / "files"


def named_folders() -> dict[str, Path]:
    """Folders inside the data folder by their name in lower case."""
    root = _data_folder()
    if root is None:
        return {}
    return {entry.name.lower(): entry for entry in sorted(root.iterdir()) if entry.is_dir()}


def folder_of(name: str) -> Path | None:
    """The folder of a data set. Names are looked up among what lies there, never joined."""
    return named_folders().get(name.lower())


def find_file(folder: Path, name: str) -> Path | None:
    """The file of this name, plain or packed, whatever its case."""
    wanted = {name.lower() + packing for packing in ("", ".gz", ".bz2")}
    return next((p for p in sorted(folder.iterdir()) if p.name.lower() in wanted), None)


def is_arff(path: Path) -> bool:
    """Whether a file is named like an ARFF file, packed or not."""
    return find_format(path) is arff.FORMAT


def arff_files(folder: Path) -> dict[str, Path]:
    """The ARFF files of a folder by their part: "whole", "train", "test"."""
    return part_files(folder, arff.FORMAT)


def part_files(folder: Path, form: Format) -> dict[str, Path]:
    """The files of one format in a folder by their part: "whole", "train", "test"."""
    parts: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if find_format(path) is not form:
            continue
        found = _PART.search(path.name.lower())
        part = found.group(1) if found else "whole"
        if part in parts:
            raise DataFormatError(
                f"{folder}: {parts[part].name} and {path.name} both look like the {part} set; "
                "remove one, or read the file itself with read_dataset"
            )
        parts[part] = path
    return parts


def label_file(folder: Path) -> Path | None:
    """The one XML file of a folder."""
    found = [path for path in sorted(folder.iterdir()) if path.suffix.lower() == ".xml"]
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise DataFormatError(f"{folder}: which of {names} lists the labels? Keep one.")
    return found[0] if found else None
