"""The record: who was shown what, and decided what, when."""

from labelfield.desk.record.errors import (
    AlreadyDecidedError,
    KeyReusedError,
    NothingToUndoError,
    StaleCaseError,
)
from labelfield.desk.record.record import Decision, Record, Saved

__all__ = [
    "AlreadyDecidedError",
    "Decision",
    "KeyReusedError",
    "NothingToUndoError",
    "Record",
    "Saved",
    "StaleCaseError",
]
