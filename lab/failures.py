"""Errors as plain data that may be stored and shown to anybody."""

import traceback
from pathlib import Path

__all__ = ["describe_failure"]


def describe_failure(error: Exception) -> dict[str, str]:
    """Return what an error says, and the way to it without the folders of this machine.

    Examples
    --------
    >>> from lab.failures import describe_failure
    >>> try:
    ...     int("many")
    ... except ValueError as error:
    ...     describe_failure(error)["error"]
    "ValueError: invalid literal for int() with base 10: 'many'"
    """
    words = " ".join(str(error).split())
    calls = traceback.extract_tb(error.__traceback__)
    way = [
        f"{Path(call.filename).name}:{call.lineno} in {call.name}: {call.line}" for call in calls
    ]
    return {"error": f"{type(error).__name__}: {words}", "traceback": "\n".join(way)}
