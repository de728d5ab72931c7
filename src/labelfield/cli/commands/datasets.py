"""labelfield datasets."""

from typing import Annotated

import typer

from labelfield.cli import console

__all__ = ["datasets_app"]

datasets_app = typer.Typer(
    invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)


@datasets_app.callback()
def list_known(context: typer.Context, as_json: console.JsonFlag = False):
    """List the data sets that can be given by name, describe one or fetch one.

    `labelfield datasets`

    `labelfield datasets show digits`

    `labelfield datasets fetch scene`

    They are found in the folder that LABELFIELD_DATA names, in the cache, or in the public
    repositories that keep them.
    """
    if context.invoked_subcommand is not None:
        return
    from labelfield.datasets import list_datasets

    rows = list_datasets()
    if as_json:
        console.print_json([row._asdict() for row in rows])
        return
    console.print_table(
        ["name", "found", "task", "instances", "features", "labels"],
        [["-" if value is None else str(value) for value in row] for row in rows],
        text_columns=3,
    )


@datasets_app.command()
def show(
    name: Annotated[str, typer.Argument(help="A name from `labelfield datasets`.")],
    split: Annotated[
        str | None, typer.Option(help="Only this published part.", metavar="train|test")
    ] = None,
    as_json: console.JsonFlag = False,
):
    """Describe one data set: sizes, label frequencies, where it comes from.

    `labelfield datasets show digits --split train`
    """
    result = describe(name, split)
    if as_json:
        console.print_json(result)
        return
    console.text(f"{result['name']}: {result['description']}")
    console.print_table(
        ["", "value"],
        [(word.replace("_", " "), f"{value:g}") for word, value in result["statistics"].items()],
    )
    console.print_table(
        ["label", "frequency"],
        [(label, f"{share:.1%}") for label, share in result["frequencies"].items()],
    )


@datasets_app.command()
def fetch(name: Annotated[str, typer.Argument(help="A name from `labelfield datasets`.")]):
    """Show what to cite and the terms of use, then download the files of a data set.

    `labelfield datasets fetch scene`
    """
    from labelfield.datasets.named.download import fetch_files, public_sources

    known = public_sources()
    if name.lower() not in known:
        raise ValueError(
            f"No public repository is known for {name!r}; there are: {', '.join(known)}."
        )
    console.text(known[name.lower()].notice(name.lower()))
    with console.busy(f"Fetching {name}"):
        folder = fetch_files(name.lower(), quiet=True)
    console.text(f"In {folder}, as published: all checksums are right.")


def describe(name, split):
    """Return sizes and label frequencies of a data set."""
    import numpy as np

    from labelfield.datasets import load_dataset

    with console.busy(f"Loading {name}"):
        data = load_dataset(name, split=split)
    return {
        "name": data.name,
        "description": data.description,
        "statistics": data.statistics(),
        "frequencies": dict(zip(data.label_names, np.nanmean(data.Y, axis=0).tolist())),
    }
