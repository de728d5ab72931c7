"""labelfield review."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.input.cases import case_names
from labelfield.cli.input.data import DataChoice, split_names
from labelfield.cli.options import ModelFile
from labelfield.cli.serving import AnyHost, Port, announce_desk, hosts_of

__all__ = ["review"]

Share = Annotated[float, typer.Option(min=0.0, max=1.0)]


def review(
    model: ModelFile,
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="A table with the columns of the model.")
    ],
    text: Annotated[
        str | None, typer.Option(help="Columns shown as running text.", metavar="A,B,...")
    ] = None,
    id: Annotated[
        str | None, typer.Option(help="Columns that name a case.", metavar="A,B,...")
    ] = None,
    picture: Annotated[
        str | None, typer.Option(help="The column that names a file with a picture.")
    ] = None,
    cost: Annotated[
        str | None, typer.Option(help="The column that says what a wrong set costs.")
    ] = None,
    record: Annotated[
        str | None,
        typer.Option(
            help="Where decisions are kept: a file, or the address of a PostgreSQL database "
            "(default: the name of CASES with .review).",
            metavar="PLACE",
        ),
    ] = None,
    reviewer: Annotated[
        list[str] | None,
        typer.Option(help="Who may review; repeat it for several (default: you)."),
    ] = None,
    accuracy: Annotated[
        float, typer.Option(help="Accuracy that accepted sets should have.", min=0.01, max=0.999)
    ] = 0.95,
    audit: Annotated[
        float,
        typer.Option(help="Share of the accepted sets that is checked blind.", min=0.0, max=1.0),
    ] = 0.05,
    double: Annotated[
        float, typer.Option(help="Share of the cases that two people see.", min=0.0, max=1.0)
    ] = 0.0,
    host: AnyHost = "127.0.0.1",
    port: Port = 8000,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in your browser.")
    ] = True,
):
    """Settle cases on a page, with the model's help; decisions are kept in a record.

    Sets that the model is sure enough of are accepted, up to a random share that is checked
    blind; all others wait on the page, those with the largest expected gain first. Stop it with
    Ctrl-C and start it again: the record goes on.

    `labelfield review notes.lf new-notes.csv --text note --id id`

    `labelfield review notes.lf new.csv --text note --reviewer anna --reviewer ben --double 0.1`
    """
    from labelfield.cli.input.reading import read_cases
    from labelfield.cli.models import columns_of, open_model
    from labelfield.desk import require_desk

    require_desk()
    from labelfield.desk.assist import DeskModel
    from labelfield.desk.assist.model import file_hash
    from labelfield.desk.page import make_desk
    from labelfield.desk.record import Record
    from labelfield.desk.start import listen, open_desk

    fitted, notes = open_model(model)
    with console.busy(f"Reading {cases}"):
        table, fields = read_cases(DataChoice(data=cases, id=id), notes)
    names = case_names(table.ids, len(fields))
    texts = [] if text is None else split_names(text, "--text")
    for column in (*texts, *([picture] if picture else ()), *([cost] if cost else ())):
        if column not in fields[0]:
            raise ValueError(f"{cases} has no column {column!r}.")
    place = listen(host, port)
    kept = Record(record or Path(cases).with_suffix(".review"))
    helper = DeskModel(
        fitted,
        columns_of(fitted, table.data.feature_names),
        file=str(model),
        hash=file_hash(model),
    )
    with console.busy(f"Predicting {len(names)} cases"):
        desk, added, promise = open_desk(
            kept,
            helper,
            table.data.X,
            names,
            fields,
            accuracy=accuracy,
            audit_rate=audit,
            double_rate=double,
            costs=None if cost is None else [_cost(one[cost]) for one in fields],
            texts=texts,
            picture=picture,
            folder=Path(cases).parent,
        )
    console.text(
        f"{added.known} cases were known, {added.new} are new; {added.accepted} of these are "
        f"accepted, {added.audited} of them to be checked blind."
    )
    console.text(promise.words)
    app = make_desk(desk, title=Path(cases).name, hosts=hosts_of(host))
    announce_desk(app, kept, place, reviewer, browser=browser)


def _cost(cell):
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise ValueError(f"--cost needs a number in every row; got {cell!r}.") from None
