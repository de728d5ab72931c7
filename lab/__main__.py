"""The command line of the laboratory: `python -m lab reproduce --list`."""

from lab.reproduce import reproduce
from labelfield.cli.app import DebugFlag, make_app

__all__ = ["app", "main"]

app = make_app("lab")


@app.callback()
def options(debug: DebugFlag = False):
    """Compute the published tables anew, ours beside the printed figures.

    `python -m lab reproduce --list`

    Studies are modules of their own: `python -m lab.studies.baselines scene`.
    """


app.command()(reproduce)


def main():
    """Run the command line."""
    app(prog_name="python -m lab")


if __name__ == "__main__":
    main()
