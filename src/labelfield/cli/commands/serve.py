"""labelfield serve."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.options import ModelFile
from labelfield.cli.serving import AnyHost, Port, address_of, hosts_of

__all__ = ["serve"]


def serve(
    model: ModelFile,
    host: AnyHost = "127.0.0.1",
    port: Port = 8000,
    tokens: Annotated[
        Path | None,
        typer.Option(
            help="A file of names and hashed tokens, see `labelfield desk token`; without it one "
            "token is made and printed.",
            metavar="FILE",
        ),
    ] = None,
    max_bytes: Annotated[int, typer.Option(help="Largest request.", min=1000)] = 2**23,
    workers: Annotated[
        int,
        typer.Option(help="Processes that answer; they share the model's memory.", min=1, max=64),
    ] = 1,
):
    """Answer programs over HTTP: /predict, /route, /condition, /explain, /health, /metrics.

    `labelfield serve scene.lf --port 8000`

    Requests carry the token: `Authorization: Bearer TOKEN`. /openapi.json describes all of it.
    """
    from labelfield.cli.models import columns_of, open_model
    from labelfield.desk import require_desk

    require_desk()
    from labelfield.desk.assist import DeskModel
    from labelfield.desk.assist.model import file_hash
    from labelfield.desk.service import make_service
    from labelfield.desk.service.guard import Limits
    from labelfield.desk.service.logs import show_requests
    from labelfield.desk.service.rows import RowReader
    from labelfield.desk.service.tokens import new_token_hash, read_tokens, who_of
    from labelfield.desk.start import listen, run_workers

    token = None
    if tokens is None:
        token, kept = new_token_hash()
        hashes = {"token": kept}
    else:
        hashes = read_tokens(tokens)
    fitted, notes = open_model(model)
    names = notes.get("feature_names")
    reader = RowReader(names, notes.get("kinds"), getattr(fitted, "n_features_in_", None))
    columns = None if names is None else columns_of(fitted, names)
    helper = DeskModel(fitted, columns, file=str(model), hash=file_hash(model))
    place = listen(host, port)
    app = make_service(
        helper,
        reader,
        who=who_of(hashes),
        hosts=hosts_of(host),
        limits=Limits(max_bytes=max_bytes),
    )

    def ready():
        console.text(f"Serving {model} at {address_of(place)}")
        if token is not None:
            console.text(f"Token: {token}")
        sys.stdout.flush()

    show_requests()
    run_workers(app, place, workers, ready)
