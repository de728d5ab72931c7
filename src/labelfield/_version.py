"""The version, for code that must not load the rest of the package."""

__version__ = "0.1.0.dev0"
