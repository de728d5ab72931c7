"""How modules with compiled loops load on first use."""

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

__all__ = ["load"]


def load(package: str, name: str, modules: Sequence[str]) -> ModuleType:
    """Return the module `name` of a package, if it is one of its `modules`."""
    if name in modules:
        return import_module(f"{package}.{name}")
    raise AttributeError(f"module {package!r} has no attribute {name!r}")
