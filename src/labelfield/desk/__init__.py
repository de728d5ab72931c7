"""The review desk: a page where people settle cases, the record of it, and a service for programs.

Everything here needs `pip install 'labelfield[desk]'`; commands call `require_desk` first.
"""

from labelfield.desk.extra import require_desk

__all__ = ["require_desk"]
