"""Errors of our own: each says which argument, what came and the way out."""

__all__ = ["DataFormatError", "IntractableError", "LabelfieldError", "ModelFileError"]


class LabelfieldError(Exception):
    """Root of the errors raised by labelfield itself."""


class IntractableError(LabelfieldError, RuntimeError):
    """An exact answer was asked for where none can be computed in bounded time."""


class DataFormatError(LabelfieldError, ValueError):
    """A data file does not say what it should; the message names file and line."""


class ModelFileError(LabelfieldError, ValueError):
    """A model file is damaged, of an unknown version, or holds what it may not."""
