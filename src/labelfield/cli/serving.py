"""What commands that serve something have in common: where, for whom, and how it is announced."""

import getpass
import sys
import webbrowser
from typing import Annotated

import typer

from labelfield.cli import console

__all__ = ["AnyHost", "Port", "address_of", "announce_desk", "hosts_of"]

AnyHost = Annotated[
    str, typer.Option(help="Where to listen; only this machine unless you say otherwise.")
]
Port = Annotated[int, typer.Option(help="0 takes any that is free.", min=0, max=65535)]


def hosts_of(host: str) -> tuple[str, ...]:
    """Names by which a service that listens there may be called."""
    import socket

    from labelfield.desk.service.app import LOCAL_HOSTS

    own = (socket.gethostname(), socket.getfqdn()) if host in ("0.0.0.0", "::") else (host,)
    return (*LOCAL_HOSTS, *own)


def address_of(place) -> str:
    """The address of a socket, for a browser."""
    host, port = place.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else "127.0.0.1" if host == "0.0.0.0" else host
    return f"http://{shown}:{port}"


def announce_desk(app, record, place, reviewers, *, browser: bool) -> None:
    """Print a link for every reviewer, open the first, and serve the desk."""
    from labelfield.desk.record.accounts import new_token
    from labelfield.desk.service.logs import show_requests
    from labelfield.desk.start import run_server

    address = address_of(place)
    links = {
        name: f"{address}/enter?token={new_token(record, name)}"
        for name in reviewers or [getpass.getuser()]
    }

    def ready():
        for name, link in links.items():
            console.text(f"{name}: {link}")
        sys.stdout.flush()
        if browser and sys.stdout.isatty():
            webbrowser.open(next(iter(links.values())))

    if not sys.stderr.isatty():
        show_requests()
    try:
        run_server(app, place, ready)
    finally:
        record.close()
