"""The `labelfield` command: one file per command; each parses, calls one function and prints."""

from labelfield.cli.app import app, main

__all__ = ["app", "main"]
