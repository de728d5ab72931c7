"""Models on disk: skops files with a header of ours, never pickle."""

from labelfield.io.archive import read_header
from labelfield.io.persist import load, save

__all__ = ["load", "read_header", "save"]
