"""warm-up, and the line that says that something is being compiled."""

import logging
import sys
from types import SimpleNamespace

import pytest

from labelfield import _compile, registry
from labelfield.cli import console
from labelfield.evaluation.warm_up import MAIN


def test_chosen_models_are_used_and_timed(run_json):
    seconds = run_json("warm-up", "--models", "mlknn,br")
    assert list(seconds) == ["mlknn", "br"]
    assert all(spent > 0.0 for spent in seconds.values())


def test_main_models_are_in_the_registry():
    assert set(MAIN) <= {*registry.CLASSIFIERS, *registry.RESTORERS}


def test_restorers_are_warmed_up_too(run):
    assert "rmf" in run("warm-up", "-m", "rmf").stdout


def test_unknown_models_are_named(complaint):
    assert "No model is called 'nothing'" in complaint("warm-up", "--models", "nothing")


@pytest.mark.parametrize(("home", "times"), [("labelfield.kernels.any", 1), ("elsewhere", 0)])
def test_compiling_is_announced_once(caplog, home, times):
    announcement = _compile._Announcement()
    begun = SimpleNamespace(
        data={"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=home))}
    )
    with caplog.at_level(logging.INFO, "labelfield"):
        for _ in range(3):
            announcement.on_start(begun)
            announcement.on_end(begun)
    assert caplog.messages == times * [_compile.COMPILING]


def test_a_terminal_shows_what_is_logged(monkeypatch, capsys):
    log = logging.getLogger("labelfield")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(log, "handlers", [])
    level = log.level
    console.show_log()
    log.info(_compile.COMPILING)
    log.setLevel(level)
    assert "Compiling loops once" in capsys.readouterr().err
