"""Why a decision was not saved."""

from labelfield._exceptions import LabelfieldError

__all__ = ["AlreadyDecidedError", "KeyReusedError", "NothingToUndoError", "StaleCaseError"]


class StaleCaseError(LabelfieldError):
    """Somebody else has changed the case since it was shown."""


class AlreadyDecidedError(LabelfieldError):
    """The reviewer has decided this case before; undo comes first."""


class KeyReusedError(LabelfieldError):
    """A key names one decision; it came again with another one."""


class NothingToUndoError(LabelfieldError):
    """The reviewer has no decision that could be withdrawn."""
