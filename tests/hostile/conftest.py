"""A folder of sound files beside which the bad ones are put, and a way to run a command line."""

import shutil

import pytest
from typer.testing import CliRunner

from labelfield.cli import app
from toy_files import toy, write_all


@pytest.fixture(scope="session")
def sound(tmp_path_factory):
    """The toy data in every format, and models fitted to them."""
    folder = tmp_path_factory.mktemp("sound")
    write_all(folder, "toy", *toy(40, seed=0))
    write_all(folder, "new", *toy(20, seed=1))
    arff, tags, model = folder / "toy.arff", folder / "toy-tags.csv", folder / "m.lf"
    for words in (
        ["fit", arff, "--model", "br", "--out", model],
        [
            "fit",
            tags,
            "--model",
            "br",
            "--tags",
            "tags",
            "--tag-separator",
            ";",
            "--out",
            folder / "tags.lf",
        ],
        ["fit", folder / "toy.svm", "--model", "br", "--out", folder / "svm.lf"],
        ["predict", model, arff, "--out", folder / "old.csv"],
    ):
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def folder(sound, tmp_path, monkeypatch):
    """A copy of the sound folder as the working folder; no data sets are known but "digits"."""
    here = tmp_path / "here"
    shutil.copytree(sound, here)
    monkeypatch.chdir(here)
    monkeypatch.setenv("LABELFIELD_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LABELFIELD_DATA", raising=False)
    return here


@pytest.fixture
def said(folder):
    """Run a command line; return its exit code and what it says.

    An exception that reaches the runner, a traceback, an error of several lines or one that we did
    not foresee is a failure, and so is a file that a failed command leaves behind.
    """

    def run(words):
        before = {path.name: path.lstat().st_mtime_ns for path in folder.iterdir()}
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exception is None or isinstance(result.exception, SystemExit), repr(
            result.exception
        )
        assert "Traceback" not in result.output
        if result.exit_code == 0:
            return 0, result.stdout
        after = {path.name: path.lstat().st_mtime_ns for path in folder.iterdir()}
        assert after == before
        if result.exit_code == 1:
            assert result.stdout == ""
            assert "report it" not in result.stderr, result.stderr
            assert len(result.stderr.splitlines()) == 1, result.stderr
            assert len(result.stderr) < 1200
        return result.exit_code, result.output

    return run
