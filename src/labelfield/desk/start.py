"""Starts a desk: cases into the record, reviewers their links, the server."""

import gc
import os
import signal
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from labelfield.desk.assist import DeskModel, Promise
from labelfield.desk.page import Desk
from labelfield.desk.queue import Added, NewCase, add_cases
from labelfield.desk.record import Record

__all__ = ["listen", "open_desk", "run_server", "run_workers"]

STOP_SECONDS = 10
BACKLOG = 2048


def open_desk(
    record: Record,
    model: DeskModel,
    X: Any,
    names: Sequence[str],
    fields: Sequence[dict[str, Any]],
    *,
    accuracy: float = 0.95,
    confidence_level: float = 0.95,
    audit_rate: float = 0.05,
    double_rate: float = 0.0,
    costs: Sequence[float] | None = None,
    texts: Sequence[str] = (),
    picture: str | None = None,
    folder: Path | None = None,
) -> tuple[Desk, Added, Promise]:
    """Predict cases, put them into a record, and return the desk on which they are settled.

    Parameters
    ----------
    record : Record
    model : DeskModel
    X : n rows as the fitted model takes them
    names : n str
        What the cases are called; those that the record knows are not added again.
    fields : n dict
        What is shown of each.
    accuracy, confidence_level : float
        The promise wished for sets that are accepted without review.
    audit_rate, double_rate, costs
        See `add_cases` and `NewCase`.
    texts, picture, folder
        See `Desk`.

    Returns
    -------
    desk : Desk
    added : Added
    promise : Promise
    """
    told = model.predictions(X, accuracy=accuracy, confidence_level=confidence_level)
    number = record.register_model(**model.about(told.promise))
    new = [
        NewCase(
            name,
            fields[i],
            model.names_of(told.sets[i]),
            None if told.confidence is None else float(told.confidence[i]),
            bool(told.accepted[i]),
            1.0 if costs is None else float(costs[i]),
        )
        for i, name in enumerate(names)
    ]
    added = add_cases(record, number, new, audit_rate=audit_rate, double_rate=double_rate)
    rows = {name: i for i, name in enumerate(names)}
    desk = Desk(record, model, number, X, rows, texts=texts, picture=picture, folder=folder)
    return desk, added, told.promise


def listen(host: str, port: int) -> socket.socket:
    """Return a socket on a port, 0 for any that is free, or say that it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.socket(family)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((host, port))
    except OSError as error:
        place.close()
        raise OSError(
            f"Cannot listen on {host}:{port} ({error.strerror}); give another --port."
        ) from None
    return place


def run_server(app: Any, place: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    """Serve an application until somebody stops it; requests at work are answered first."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            gc.collect()
            gc.freeze()  # collections would halt all requests to walk through what is loaded
            ready()

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    Server(config).run(sockets=[place])


def run_workers(
    app: Any, place: socket.socket, n_workers: int, ready: Callable[[], None] = lambda: None
) -> None:
    """Serve an application from several processes that share the memory of what is loaded.

    They are forked from this one, after the model was read, and take turns at the socket. When
    one of them ends, all are stopped.
    """
    if n_workers == 1:
        run_server(app, place, ready)
        return
    if not hasattr(os, "fork"):
        raise ValueError("--workers needs a system that can fork; start with --workers 1.")
    place.listen(BACKLOG)
    gc.collect()
    gc.freeze()  # what is loaded stays where it is, on pages that the workers share
    workers = [_fork(app, place) for _ in range(n_workers)]
    stopping = False

    def stop(*_: Any) -> None:
        nonlocal stopping
        stopping = True
        for pid in workers:
            os.kill(pid, signal.SIGTERM)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    ready()
    ended, _ = os.wait()
    workers.remove(ended)
    failed = not stopping
    stop()
    for pid in workers:
        os.waitpid(pid, 0)
    if failed:
        raise RuntimeError("A worker ended by itself, and the others were stopped; see the log.")


def _fork(app: Any, place: socket.socket) -> int:
    """Return the number of a new process that serves the application."""
    pid = os.fork()
    if pid:
        return pid
    try:
        run_server(app, place)
    finally:
        os._exit(0)
