"""Errors as one line that says what is wrong and what to do."""

from labelfield._exceptions import LabelfieldError

__all__ = ["explain"]

# Errors whose own words are written for users; any other type means a mistake of ours.
EXPECTED = (LabelfieldError, ValueError, OSError, ImportError)
MAX_LETTERS = 1000


def explain(error: Exception) -> str:
    """Return one line about an error, cut to what a terminal can show.

    Examples
    --------
    >>> from labelfield.cli.errors import explain
    >>> explain(KeyError("colour"))
    "Unexpected KeyError: 'colour'; run with --debug and report it."
    """
    words = _shortened(" ".join(str(error).split()))
    if isinstance(error, MemoryError):
        return f"Not enough memory: {words or 'the data are too large'}; use smaller data."
    if isinstance(error, RecursionError):
        return f"The input is nested too deeply: {words}."
    if isinstance(error, EXPECTED):
        return words or type(error).__name__
    return f"Unexpected {type(error).__name__}: {words}; run with --debug and report it."


def _shortened(words: str) -> str:
    if len(words) <= MAX_LETTERS:
        return words
    half = MAX_LETTERS // 2
    return f"{words[:half]} ... {words[-half:]}"
