"""Tables and text as numbers."""

from labelfield.encode.table import TableEncoder

__all__ = ["TableEncoder"]
