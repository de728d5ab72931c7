"""Options and arguments that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli.input.data import split_names

__all__ = ["JobCount", "MetricNames", "ModelFile", "OnViolation", "RulesFile", "chosen_metrics"]

JobCount = Annotated[int, typer.Option(help="Processes at once; -1 for all cores.")]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A file that `labelfield fit` wrote.")
]
MetricNames = Annotated[
    str | None,
    typer.Option(
        help="Names of measures, joined by commas; `all` for every one.", metavar="A,B,..."
    ),
]
RulesFile = Annotated[
    Path | None,
    typer.Option(
        "--rules",
        help="Rules that answers must keep: sentences, .json, or a .csv of labels and parents.",
        metavar="FILE",
    ),
]
OnViolation = Annotated[
    str,
    typer.Option(help="What becomes of training rows that break a rule: error, close, drop, keep."),
]
USUAL = ("subset_accuracy", "hamming_loss", "f1_samples", "f1_macro", "f1_micro")


def chosen_metrics(names: str | None, n_labels: int) -> list[str]:
    """Return the measures that were asked for; `all` leaves out those that need more labels."""
    from labelfield.metrics import METRICS

    if names is None:
        return list(USUAL)
    if names == "all":
        ranked = {name: name.rpartition("precision_at_")[2] for name in METRICS}
        return [name for name, k in ranked.items() if not k.isdigit() or int(k) <= n_labels]
    chosen = split_names(names, "--metrics")
    for name in chosen:
        if name not in METRICS:
            raise ValueError(f"No measure is called {name!r}; there are {', '.join(METRICS)}.")
    return chosen
