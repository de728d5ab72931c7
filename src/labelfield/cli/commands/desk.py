"""labelfield desk: upkeep of records; labelfield monitor."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.output import ForceFlag, check_free

__all__ = ["desk_app", "monitor"]

desk_app = typer.Typer(
    no_args_is_help=True, help="Export, back up and redact the record of a review desk."
)

Place = Annotated[
    str, typer.Argument(metavar="RECORD", help="The file or the address of a record.")
]
Out = Annotated[Path, typer.Option("--out", "-o", help="The file to write.")]


def _open(place: str):
    from labelfield.desk import require_desk

    require_desk()
    from labelfield.desk.record import Record

    if "://" not in place and not Path(place).is_file():
        raise FileNotFoundError(f"There is no record {place!r}.")
    return Record(place)


@desk_app.command()
def export(
    record: Place,
    out: Out,
    form: Annotated[
        str, typer.Option("--as", help="csv, jsonl, label-studio, argilla or training.")
    ] = "csv",
    force: ForceFlag = False,
):
    """Write the decisions for other programs, or as rows to learn from.

    `labelfield desk export notes.review --out decisions.csv`

    `labelfield desk export notes.review --as training --out rows.csv`

    `labelfield fit rows.csv --tags labels --groups case --drop coder --out better.lf`
    """
    check_free(out, force=force)
    kept = _open(record)
    from labelfield.desk.record.exports import export as write

    n_rows = write(kept, form, out)
    console.text(f"{n_rows} rows written to {out}.")


@desk_app.command()
def backup(record: Place, out: Out, force: ForceFlag = False):
    """Copy a record to a file, also while people work with it."""
    check_free(out, force=force, inputs=(record,))
    from labelfield.desk import require_desk

    require_desk()
    from labelfield.desk.record.upkeep import back_up

    back_up(_open(record), out)
    console.text(f"Copied to {out}.")


@desk_app.command()
def redact(
    record: Place,
    case: Annotated[str, typer.Argument(metavar="CASE", help="The name of the case.")],
    reason: Annotated[str, typer.Option(help="Why; it is kept.")],
):
    """Remove the fields of a case and the notes about it; its decisions stay."""
    kept = _open(record)
    from labelfield.desk.record.upkeep import redact as remove

    remove(kept, case, reason)
    console.text(f"The texts of {case!r} are removed; copies made earlier still hold them.")


@desk_app.command()
def reviewer(
    record: Place,
    name: Annotated[str, typer.Argument(metavar="NAME")],
    days: Annotated[float, typer.Option(help="How long the token is valid.", min=0.01)] = 30.0,
):
    """Make a token for a reviewer; the page opens at /enter?token=TOKEN."""
    kept = _open(record)
    from labelfield.desk.record.accounts import new_token

    console.text(f"/enter?token={new_token(kept, name, days=days)}")


@desk_app.command()
def token(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="For `labelfield serve --tokens`.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who gets the token.")],
):
    """Add a token to a file of hashed tokens, and print it once."""
    from labelfield.desk.service.tokens import add_token

    console.text(add_token(file, name))


def monitor(record: Place, as_json: console.JsonFlag = False):
    """Say whether the promise is kept, cases drift, and reviewers agree.

    `labelfield monitor notes.review`
    """
    kept = _open(record)
    from labelfield.desk.watch import watch

    told = watch(kept)
    if as_json:
        console.print_json(told)
        return
    console.text(f"Cases: {', '.join(f'{n} {name}' for name, n in told['cases'].items())}.")
    console.text(f"Promise: {told['model']['promise']}")
    if told["promise"] is not None:
        console.text(f"Audit slice: {told['promise']['words']}")
    for what, drift in (("predictions", told["drift"]), ("features", told["feature_drift"])):
        console.text(f"Drift of {what}: {_drift_in_words(drift)}.")
    agreed = told["agreement"]
    if agreed["pairs"]:
        console.text(
            f"Agreement: {agreed['pairs']} cases with two reviewers, equal {agreed['equal']:.0%}, "
            f"Jaccard {agreed['jaccard']:.3f}."
        )
    for name, one in agreed["reviewers"].items():
        left = "" if one["kept"] is None else f", {one['kept']:.0%} left as ticked"
        spent = "" if one["seconds"] is None else f", median {one['seconds']:.1f} s"
        console.text(f"{name}: {one['sets']} sets{left}{spent}.")


def _drift_in_words(drift):
    if drift is None or not drift["smallest"]:
        return "too few cases to say"
    first = drift["smallest"][0]
    state = "ALARM, later cases differ" if drift["alarm"] else "no sign of it"
    return f"{state} ({first['what']}, p {first['p']:.3g} of {drift['tests']} tests)"
