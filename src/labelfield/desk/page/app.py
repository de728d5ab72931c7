"""The desk as an application: the page, its requests, and the service beside it."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse

from labelfield._version import __version__
from labelfield.desk.page.desk import Desk
from labelfield.desk.queue import keep_lease, progress, release
from labelfield.desk.record import (
    AlreadyDecidedError,
    KeyReusedError,
    NothingToUndoError,
    StaleCaseError,
)
from labelfield.desk.record.accounts import reviewer_of
from labelfield.desk.service.app import LOCAL_HOSTS, PATHS, Backend, make_app, service_routes
from labelfield.desk.service.guard import COOKIE, Guard
from labelfield.desk.service.rows import RowReader
from labelfield.desk.watch import watch

__all__ = ["make_desk"]

STATIC = {"desk.js": "text/javascript", "desk.css": "text/css"}
DESK_PATHS = ("/", "/monitor", "/desk/next", "/desk/condition", "/desk/decide", "/desk/undo")
MAX_PASSED = 500

Name = Annotated[str, Field(max_length=1000)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Next(_Request):
    passed: list[int] = Field(default_factory=list, max_length=MAX_PASSED)


class _Case(_Request):
    case: int


class _Known(_Case):
    known: dict[Name, bool]
    ticked: list[Name]


class _Decided(_Case):
    version: int
    showing: int
    key: str = Field(min_length=8, max_length=100)
    labels: list[Name] | None
    note: str = Field(default="", max_length=10_000)
    trail: list[Name] = Field(default_factory=list, max_length=1000)


class _Undo(_Request):
    key: str = Field(min_length=8, max_length=100)


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("labelfield.desk.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def make_desk(
    desk: Desk,
    *,
    title: str = "Review",
    hosts: Iterable[str] = LOCAL_HOSTS,
    reader: RowReader | None = None,
) -> Guard:
    """Return the desk as an ASGI application; its reviewers sign in with tokens of the record."""
    backend = Backend(desk.model, reader or RowReader(), (*PATHS, *DESK_PATHS))
    app = make_app(backend, title)
    app.include_router(service_routes(backend))
    app.include_router(_pages(desk, title))
    app.include_router(_requests(desk), prefix="/desk")
    for error in (StaleCaseError, AlreadyDecidedError, KeyReusedError, NothingToUndoError):
        app.add_exception_handler(error, _conflict)
    return Guard(
        app,
        who=lambda token: reviewer_of(desk.record, token) if token else None,
        hosts=hosts,
        metrics=backend.metrics,
        open_paths=("/health", "/enter", "/static/"),
    )


def _conflict(request: Request, error: Exception) -> Response:
    return JSONResponse({"detail": str(error), "kind": type(error).__name__}, status_code=409)


def _who(request: Request) -> str:
    return str(request.scope["labelfield.who"])


def _pages(desk: Desk, title: str) -> APIRouter:
    """Return what is opened in a browser."""
    pages = APIRouter(include_in_schema=False)

    @pages.get("/")
    def page(request: Request) -> Response:
        shown = _templates().get_template("desk.html")
        return HTMLResponse(shown.render(title=title, reviewer=_who(request), version=__version__))

    @pages.get("/monitor")
    def monitor(request: Request) -> Response:
        told = watch(desk.record)
        return HTMLResponse(_templates().get_template("monitor.html").render(title=title, **told))

    @pages.get("/enter")
    def enter(request: Request, token: str = "") -> Response:
        reviewer = reviewer_of(desk.record, token)
        if reviewer is None:
            shown = _templates().get_template("enter.html").render(title=title)
            return HTMLResponse(shown, status_code=401)
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(
            COOKIE,
            token,
            max_age=30 * 86_400,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return answer

    @pages.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in STATIC:
            return JSONResponse({"detail": "Not Found"}, status_code=404)
        content = files("labelfield.desk.page").joinpath("static", name).read_bytes()
        return Response(content, media_type=STATIC[name])

    return pages


def _requests(desk: Desk) -> APIRouter:
    """Return what the page asks and tells."""
    routes = APIRouter(include_in_schema=False)

    @routes.post("/next")
    def next_case(request: Request, given: _Next) -> Any:
        return desk.next_case(_who(request), given.passed)

    @routes.get("/labels")
    def labels() -> list[str]:
        return desk.model.labels

    @routes.get("/progress")
    def count(request: Request) -> Any:
        return progress(desk.record, _who(request))

    @routes.post("/condition")
    def condition(given: _Known) -> Any:
        return JSONResponse(desk.condition(given.case, given.known, given.ticked))

    @routes.post("/decide")
    def decide(request: Request, given: _Decided) -> Any:
        return desk.decide(_who(request), given.model_dump())

    @routes.post("/undo")
    def undo(request: Request, given: _Undo) -> Any:
        return desk.undo(_who(request), given.key)

    @routes.post("/keep")
    def keep(request: Request, given: _Case) -> Any:
        return {"kept": keep_lease(desk.record, given.case, _who(request))}

    @routes.post("/release")
    def give_back(request: Request, given: _Case) -> Any:
        release(desk.record, given.case, _who(request))
        return {}

    @routes.get("/reasons/{case}")
    def reasons(case: int) -> Any:
        return desk.reasons(case)

    @routes.get("/picture/{case}")
    def picture(case: int) -> Response:
        found = desk.picture(case)
        if found is None:
            return JSONResponse({"detail": "Not Found"}, status_code=404)
        return Response(found[0], media_type=found[1])

    return routes
