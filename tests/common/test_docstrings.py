"""Examples in docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import labelfield

MODULES = [
    info.name
    for info in pkgutil.walk_packages(labelfield.__path__, "labelfield.")
    if not info.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(
        importlib.import_module(name),
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    assert result.failed == 0
