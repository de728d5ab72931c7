"""The command group: which commands there are, and how errors look."""

import errno
from typing import Annotated

import typer
from typer.core import TyperGroup

from labelfield._version import __version__
from labelfield.cli import console
from labelfield.cli.commands.calibrate import calibrate
from labelfield.cli.commands.compare import compare
from labelfield.cli.commands.datasets import datasets_app
from labelfield.cli.commands.demo import demo
from labelfield.cli.commands.desk import desk_app, monitor
from labelfield.cli.commands.evaluate import evaluate
from labelfield.cli.commands.fit import fit
from labelfield.cli.commands.predict import predict
from labelfield.cli.commands.report import report
from labelfield.cli.commands.restore import restore
from labelfield.cli.commands.review import review
from labelfield.cli.commands.rules import rules_app
from labelfield.cli.commands.serve import serve
from labelfield.cli.commands.warm_up import warm_up
from labelfield.cli.errors import explain
from labelfield.cli.exits import FAILED, INTERRUPTED

__all__ = ["DebugFlag", "app", "main", "make_app"]


# What typer itself turns into an exit code: --help, an abort, wrong usage (a ClickException, which
# is the grandparent of BadParameter wherever this version of typer keeps it).
PASSED_ON = (typer.Exit, typer.Abort, typer.BadParameter.__mro__[2])


class Commands(TyperGroup):
    """Turns every error into one line on stderr and an exit code; --debug shows the rest."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            console.note("Interrupted.")
            raise typer.Exit(INTERRUPTED) from None
        except PASSED_ON:
            raise
        except Exception as error:  # the one place where a traceback becomes a line
            if ctx.params["debug"] or getattr(error, "errno", None) == errno.EPIPE:
                raise
            console.complain(explain(error))
            raise typer.Exit(FAILED) from None


DebugFlag = Annotated[bool, typer.Option("--debug", help="Show the full traceback of an error.")]


def make_app(name: str) -> typer.Typer:
    """Return a group of commands whose errors are one line; its callback takes `debug`."""
    return typer.Typer(
        name=name,
        cls=Commands,
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


app = make_app("labelfield")


def _show_version(wanted: bool):
    if wanted:
        typer.echo(f"labelfield {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: DebugFlag = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
):
    """Predict whole label sets, decide for the metric that counts, know how sure you are.

    Start with `labelfield demo`. Then, with your own data:

    `labelfield compare scene.arff --models br,lp,pcc`

    `labelfield fit scene.arff --model pcc --out scene.lf`

    `labelfield predict scene.lf new.arff --out predictions.csv`

    Exit codes: 0 done, 1 wrong data or arguments, 2 wrong usage, 130 interrupted.
    """
    console.show_log()


app.command()(demo)
app.command()(fit)
app.command()(predict)
app.command()(evaluate)
app.command()(calibrate)
app.command()(compare)
app.command()(review)
app.command()(monitor)
app.command()(serve)
app.add_typer(desk_app, name="desk")
app.command()(restore)
app.add_typer(datasets_app, name="datasets")
app.add_typer(rules_app, name="rules")
app.command()(report)
app.command()(warm_up)


def main():
    """Run the command line."""
    app()
