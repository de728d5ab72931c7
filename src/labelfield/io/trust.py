"""Which types a model file may hold: ours, by name, and a few of numpy and scipy."""

import re
from collections.abc import Iterable
from importlib import import_module

__all__ = ["foreign_types", "is_own_class"]

# The parts of labelfield whose classes hold the state of fitted models. Files, data and the command
# line are left out: nothing in a model file may construct those.
STATE_HOMES = (
    "labelfield._gate.validation",
    "labelfield.auto",
    "labelfield.calibrate",
    "labelfield.decode",
    "labelfield.encode",
    "labelfield.label_graph",
    "labelfield.joints",
    "labelfield.learners",
    "labelfield.models",
    "labelfield.optim",
    "labelfield.pipeline",
    "labelfield.promise.rows",
    "labelfield.rules",
    "labelfield.restore.field",
    "labelfield.restore.graph",
    "labelfield.restore.net",
    "labelfield.restore.spikes",
    "labelfield.restore.tables.codec",
)
# Read back by numpy and scipy with pickling switched off.
PLAIN_TYPES = frozenset(
    ["numpy.dtype"]
    + [
        f"scipy.sparse._{form}.{form}_{kind}"
        for form in ("csr", "csc", "coo")
        for kind in ("matrix", "array")
    ]
)
_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def foreign_types(names: Iterable[str], trusted: Iterable[str] = ()) -> list[str]:
    """Return the names that are neither ours, nor plain data, nor trusted by the caller."""
    known = PLAIN_TYPES | set(trusted)
    return sorted(name for name in names if name not in known and not is_own_class(name))


def is_own_class(name: str) -> bool:
    """Whether the name is that of a class which labelfield itself defines for fitted state.

    Functions do not count: a trusted callable could be called with arguments from the file.
    """
    module, _, attribute = name.rpartition(".")
    at_home = any(module == home or module.startswith(f"{home}.") for home in STATE_HOMES)
    if not at_home or not _NAME.fullmatch(name):
        return False
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError):
        return False
    return isinstance(found, type) and (found.__module__, found.__name__) == (module, attribute)
