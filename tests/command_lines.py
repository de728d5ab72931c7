"""Ways to run a command line inside the test's process."""

import json

from typer.testing import CliRunner


def runner_of(app):
    """Return a function that runs a command line; it fails on a traceback or another exit code."""

    def call(*words, code=0):
        result = CliRunner().invoke(app, [str(word) for word in words])
        told = f"{result.output}\n{result.exception!r}"
        assert result.exit_code == code, told
        assert "Traceback" not in result.output
        return result

    return call


def json_runner_of(run):
    """Return a function that runs with --json and returns what is printed, parsed."""
    return lambda *words: json.loads(run(*words, "--json").stdout)


def complaint_of(run):
    """Return a function that runs a command line that must fail and returns its one line."""

    def call(*words, code=1):
        result = run(*words, code=code)
        lines = result.stderr.strip().splitlines()
        assert len(lines) == 1, result.stderr
        assert result.stdout == ""
        return lines[0]

    return call
