"""Public names: sorted, documented with an example, cheap to import."""

import importlib
import pkgutil
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import labelfield

MODULES = [
    info.name
    for info in pkgutil.walk_packages(labelfield.__path__, "labelfield.")
    if not info.name.endswith("__main__")
]


@pytest.mark.parametrize("module", MODULES)
def test_public_lists_are_true(module):
    names = getattr(importlib.import_module(module), "__all__", [])
    assert len(set(names)) == len(names)
    for name in names:
        getattr(importlib.import_module(module), name)


@pytest.mark.parametrize("name", labelfield.__all__)
def test_public_names_are_documented(name):
    doc = getattr(labelfield, name).__doc__
    assert doc
    abstract = name in ("Decoder", "Joint") or name.endswith("Error")
    assert abstract or ">>>" in doc, f"{name} has no example"


def test_import_is_light():
    code = (
        "import sys, time; import labelfield; spent = time.process_time();"
        "heavy = {'numba', 'lightgbm', 'torch', 'pandas', 'matplotlib'} & set(sys.modules);"
        "assert not heavy, heavy; assert spent < 1.0, spent;"
        "import labelfield.models.chains, labelfield.models.powerset;"
        "heavy = {'numba', 'lightgbm', 'torch', 'matplotlib'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_editors_are_told_every_public_name():
    script = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "write_stubs.py"))
    written = script["PATH"].read_text(encoding="utf-8")
    assert written == script["stub"](), "run python scripts/write_stubs.py"


def test_import_leaves_the_random_state_alone():
    code = (
        "import importlib, random, sys\n"
        "random.seed(0)\n"
        "before = random.getstate()\n"
        "for module in sys.argv[1:]:\n"
        "    importlib.import_module(module)\n"
        "    assert random.getstate() == before, module\n"
    )
    subprocess.run([sys.executable, "-c", code, "labelfield", *MODULES], check=True)
