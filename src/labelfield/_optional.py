"""Packages that only some parts need: imported when asked for, with a way out if absent."""

from importlib import import_module
from types import ModuleType

__all__ = ["require"]


def require(module: str, extra: str) -> ModuleType:
    """Import a module of an optional package, or say which extra of labelfield brings it.

    Examples
    --------
    >>> from labelfield._optional import require
    >>> require("a_missing_package.part", "viz")
    Traceback (most recent call last):
    ...
    ModuleNotFoundError: This needs a_missing_package; pip install 'labelfield[viz]' brings it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise ModuleNotFoundError(
            f"This needs {package}; pip install 'labelfield[{extra}]' brings it.", name=package
        ) from None
