"""One file per command: each parses, calls one function and prints."""
