"""Which code, version and machine made a cell."""

import ast
import hashlib
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from threadpoolctl import threadpool_info

from lab.cells import Cell
from lab.restorers import RESTORERS
from lab.table import Model
from lab.tasks import TASKS
from labelfield import registry
from labelfield._version import __version__
from labelfield.datasets.named.mending import SHIFTED

__all__ = ["code_commit", "code_of", "made_now"]

PACKAGES = ("lab", "labelfield")
ROOT = Path(__file__).parents[1]
CODE = ("src", "lab", ":!lab/results", ":!lab/arena/results")
IMPORTS = (ast.Import, ast.ImportFrom)
EVERY_CELL = ("lab.building", "lab.measures", "lab.protocol", "lab.scaling", "lab.sources")
MENDING = "labelfield.datasets.named.mending"  # counts for the data sets that it mends
# What names, shows, stores or lists results, but does not compute them.
NO_PART = (
    "lab.published",
    "labelfield._shown",
    "labelfield.cli",
    "labelfield.datasets.named.download",
    MENDING,
    "labelfield.io",
    "labelfield.joints.explanation",
    "labelfield.label_graph.label_graph",
    "labelfield.label_graph.layout",
    "labelfield.label_graph.picture",
    "labelfield.registry",
)
# Of the restorers that the lab lists, those count that a cell is made of.
LISTED = {"lab.restorers", *(kind.__module__ for kind in RESTORERS.values())}


def made_now(cell: Cell) -> dict[str, str]:
    """Return what a record says about how it was made."""
    return {
        "code": code_of(cell),
        "version": __version__,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": _machine(),
    }


def code_of(cell: Cell) -> str:
    """Return a hash of all modules that the cell's figures can depend on.

    They are found by following imports; comments, docstrings, layout and where a module lies do
    not count.

    Examples
    --------
    >>> from lab import cells_of, get_table
    >>> from lab.provenance import code_of
    >>> len(code_of(cells_of(get_table("qli2017-3.6"))[0]))
    12
    """
    mending = [MENDING] if cell.source.title in SHIFTED else []
    stages = [TASKS[cell.task].__module__, type(cell.protocol).__module__]
    parts = [*EVERY_CELL, *stages, *mending, *_homes(cell.model)]
    return _digest_of(frozenset(parts))


@cache
def code_commit(root: Path = ROOT) -> str:
    """Return the last commit that changed the code, or "" where there is no history to ask."""
    command = ["git", "-C", str(root), "log", "-1", "--format=%h", "--", *CODE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _homes(model: Model) -> list[str]:
    """Return the modules of a model's parts, comparators of the lab among them."""
    inner = [value for value in model.parameters.values() if isinstance(value, Model)]
    ours = "." not in model.id or model.id.partition(".")[0] in PACKAGES
    own = [_home(model.id)] if ours else []
    return own + [home for part in inner for home in _homes(part)]


def _home(id: str) -> str:
    """Return the module of a model."""
    if "." in id:
        home, _, name = id.rpartition(".")
        own = home.startswith("lab.")
        return home if own else getattr(import_module(home), name).__module__
    if id in RESTORERS:
        return RESTORERS[id].__module__
    return registry.get(id).load().__module__


@cache
def _digest_of(roots: frozenset[str]) -> str:
    found, waiting = set(), list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imported_by(name)
    text = "\n".join(sorted(_meaning_of(name) for name in found))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@cache
def _source_of(name: str) -> Path | None:
    if name.split(".")[0] not in PACKAGES:
        return None
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec and spec.origin else None


@cache
def _tree_of(name: str) -> ast.Module:
    return ast.parse(_source_of(name).read_text(encoding="utf-8"))


@cache
def _meaning_of(name: str) -> str:
    """Return a hash of a module without its comments, docstrings and imports."""
    tree = ast.parse(ast.unparse(_tree_of(name)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            spoken = ast.get_docstring(node, clean=False) is not None
            node.body = [one for one in node.body[spoken:] if not isinstance(one, IMPORTS)]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


@cache
def _imported_by(name: str) -> tuple[str, ...]:
    """Return the modules of ours that a module imports, and the kernels that it calls by path."""
    wanted = []
    for node in ast.walk(_tree_of(name)):
        if isinstance(node, ast.Import):
            wanted += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            wanted += [_home_of(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Attribute):
            path = ast.unparse(node)
            wanted += [f"labelfield.{path}"] if path.startswith("kernels.") else []
    return tuple(module for module in dict.fromkeys(wanted) if _counts(module))


@cache
def _home_of(package: str, name: str) -> str:
    """Return the module behind `from package import name`; packages often only pass a name on."""
    if _source_of(f"{package}.{name}") is not None:
        return f"{package}.{name}"
    source = _source_of(package)
    if source is None or source.name != "__init__.py":
        return package
    for node in ast.walk(_tree_of(package)):
        if isinstance(node, ast.ImportFrom) and node.module != package:
            for alias in node.names:
                if name in (alias.asname, alias.name):
                    return _home_of(node.module, alias.name)
    return package


def _counts(name: str) -> bool:
    passed_over = name in LISTED or any(
        name == part or name.startswith(f"{part}.") for part in NO_PART
    )
    return not passed_over and name not in PACKAGES and _source_of(name) is not None


def _machine() -> str:
    kernels = sorted({pool.get("architecture") or "" for pool in threadpool_info()} - {""})
    return " ".join([platform.system(), platform.machine(), *kernels, platform.python_version()])
