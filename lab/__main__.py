"""The command line of the laboratory: `python -m lab reproduce --list`."""

from lab.arena.command import arena
from lab.drawings.command import draw
from lab.recheck import recheck
from lab.reproduce import reproduce
from labelfield.cli.app import DebugFlag, make_app

__all__ = ["app", "main"]

app = make_app("lab")


@app.callback()
def options(debug: DebugFlag = False):
    """Compute the published tables anew, and compare models of all kinds on data of your own.

    `python -m lab reproduce --list`

    `python -m lab recheck --cells 10`

    `python -m lab draw all`

    `python -m lab arena data/scene data/yeast --folds 3`

    Studies are modules of their own: `python -m lab.studies.baselines scene`.
    """


app.command()(reproduce)
app.command()(recheck)
app.command()(arena)
app.command()(draw)


def main():
    """Run the command line."""
    app(prog_name="python -m lab")


if __name__ == "__main__":
    main()
