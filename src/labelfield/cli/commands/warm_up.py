"""labelfield warm-up."""

from typing import Annotated

import typer

from labelfield.cli import console

__all__ = ["warm_up"]


def warm_up(
    models: Annotated[
        str, typer.Option("--models", "-m", help="Short ids joined by commas, or `all`.")
    ] = "",
    as_json: console.JsonFlag = False,
):
    """Compile the loops of the main models now instead of at their first use.

    `labelfield warm-up`

    `labelfield warm-up --models br,cbm`

    The machine code is kept on disk (in the folder that NUMBA_CACHE_DIR names, or beside the
    package) for every later process with the same processor and the same versions.
    """
    from labelfield import registry
    from labelfield.evaluation import warm_up as compile_loops
    from labelfield.evaluation.warm_up import MAIN

    ids = [name.strip() for name in models.split(",") if name.strip()] or list(MAIN)
    if ids == ["all"]:
        ids = [*registry.CLASSIFIERS, *registry.RESTORERS]
    seconds = {}
    with console.progress("Compiling", silent=as_json) as update:
        for position, id in enumerate(ids):
            seconds |= compile_loops([id])
            update(position + 1, len(ids), float("nan"))
    if as_json:
        console.print_json(seconds)
        return
    console.print_table(["model", "seconds"], [(id, f"{s:.1f}") for id, s in seconds.items()])
