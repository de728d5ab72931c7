"""Exit codes of the command; 2, wrong usage, is typer's own."""

__all__ = ["FAILED", "INTERRUPTED"]

FAILED = 1
INTERRUPTED = 130
