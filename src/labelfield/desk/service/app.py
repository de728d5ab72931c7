"""The service as an application: paths, batching, errors."""

import gc
import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse

from labelfield._exceptions import LabelfieldError
from labelfield._gate.reading import count_rows
from labelfield._version import __version__
from labelfield.desk.assist import DeskModel
from labelfield.desk.service import answers, schema
from labelfield.desk.service.batching import Batcher, BusyError
from labelfield.desk.service.guard import DEFAULT_LIMITS, LOG, Guard, Limits
from labelfield.desk.service.metrics import Metrics
from labelfield.desk.service.rows import RowReader

__all__ = ["LOCAL_HOSTS", "Backend", "make_app", "make_service", "service_routes"]

LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
MAX_EXPLAINED = 20
PATHS = (
    "/predict",
    "/route",
    "/condition",
    "/explain",
    "/health",
    "/metrics",
    "/docs",
    "/openapi.json",
)


class Backend:
    """A model with its reader of rows, and the batches that wait for it."""

    def __init__(self, model: DeskModel, reader: RowReader, paths: Iterable[str] = PATHS) -> None:
        self.model = model
        self.reader = reader
        self.batcher: Batcher | None = None
        self.rows = 0
        self._is_warm = False
        gauges = {
            "rows_predicted": lambda: float(self.rows),
            "batches": lambda: float(self.batcher.batches if self.batcher else 0),
            "batched_requests": lambda: float(self.batcher.works if self.batcher else 0),
        }
        self.metrics = Metrics(paths, gauges)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take requests for as long as the block runs; then answer those that wait."""
        self.batcher = Batcher(self._predict)
        self.batcher.start()
        try:
            yield
        finally:
            await self.batcher.stop()

    def _predict(self, works: list[Any]) -> list[Any]:
        told = answers.predict_all(self.model, works)
        if not self._is_warm:
            gc.collect()
            gc.freeze()  # the first answer loaded the rest; later collections leave it alone
            self._is_warm = True
        return told

    def read(self, rows: schema.Rows) -> Any:
        """Return the rows of a request as the model takes them."""
        X = self.reader.read(rows.X, rows.records)
        self.rows += count_rows(X)
        return X

    async def run(self, call: Callable[[], Any]) -> Any:
        """Run a call in the thread of the model."""
        assert self.batcher is not None
        return await self.batcher.run(call)


def make_service(
    model: DeskModel,
    reader: RowReader,
    *,
    who: Callable[[str], str | None],
    hosts: Iterable[str] = LOCAL_HOSTS,
    limits: Limits = DEFAULT_LIMITS,
) -> Guard:
    """Return the service of a model as an ASGI application.

    Parameters
    ----------
    model : DeskModel
    reader : RowReader
    who : callable
        `who(token)` names whoever has a token, None if nobody does; see `tokens.who_of`.
    hosts : iterable of str
        Names by which the service may be called.
    limits : Limits
    """
    backend = Backend(model, reader)
    app = make_app(backend, "labelfield")
    app.include_router(service_routes(backend))
    return Guard(app, who=who, hosts=hosts, metrics=backend.metrics, limits=limits)


def make_app(backend: Backend, title: str) -> FastAPI:
    """Return an application without paths, whose errors are one sentence of JSON."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with backend.running():
            yield

    # no page of FastAPI's own: it would load scripts from other hosts
    app = FastAPI(
        title=title, version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None
    )

    @app.exception_handler(RequestValidationError)
    async def refuse(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body")
        return _refusal(422, f"{place}: {first['msg']}" if place else first["msg"])

    @app.exception_handler(ValueError)
    @app.exception_handler(TypeError)
    @app.exception_handler(LabelfieldError)
    async def complain(request: Request, error: Exception) -> Response:
        return _refusal(422, " ".join(str(error).split())[:1000])

    @app.exception_handler(BusyError)
    async def busy(request: Request, error: BusyError) -> Response:
        return _refusal(503, "Too many requests wait; try again.")

    @app.exception_handler(Exception)
    async def fail(request: Request, error: Exception) -> Response:
        LOG.error("failure", exc_info=error, extra={"told": {"path": request.url.path}})
        return _refusal(500, "The service failed; its log says why.")

    return app


def _refusal(status: int, reason: str) -> Response:
    return JSONResponse({"detail": reason}, status_code=status)


def _answer(content: Any) -> Response:
    """An answer that is plain data already: checking it again would cost more than making it."""
    return Response(json.dumps(content, allow_nan=False), media_type="application/json")


def service_routes(backend: Backend) -> APIRouter:
    """Return the paths that programs use."""
    routes, model = APIRouter(), backend.model

    @routes.post("/predict", response_model=schema.Predicted)
    async def predict(request: schema.PredictRequest) -> Response:
        """Label sets, how sure they are, the best alternatives and P(label)."""
        X = backend.read(request)
        work = X, request.alternatives, request.probabilities
        assert backend.batcher is not None
        told = await backend.batcher.ask(work, count_rows(X))
        return _answer({"model": model.hash, "predictions": told})

    @routes.post("/route", response_model=schema.Routed)
    async def route(request: schema.RouteRequest) -> Response:
        """Which sets may be accepted without review, and what is promised of them."""
        X = backend.read(request)
        call = partial(answers.route, model, X, request.accuracy, request.confidence_level)
        return _answer(await backend.run(call))

    @routes.post("/condition", response_model=schema.Conditioned)
    async def condition(request: schema.ConditionRequest) -> Response:
        """Probabilities of all labels of one row, given labels that are known."""
        X = backend.read(request)
        return _answer(await backend.run(partial(answers.condition, model, X, request.known)))

    @routes.post("/explain", response_model=schema.Explained)
    async def explain(request: schema.ExplainRequest) -> Response:
        """What speaks for each label of a set."""
        X = backend.read(request)
        if count_rows(X) > MAX_EXPLAINED:
            raise ValueError(f"explain takes {MAX_EXPLAINED} rows at most; got {count_rows(X)}.")
        return _answer(await backend.run(partial(answers.explain, model, X, request.sets)))

    @routes.get("/health")
    async def health() -> dict[str, str]:
        """Whether the service runs; needs no token and tells nothing of the model."""
        return {"status": "ok", "version": __version__}

    @routes.get("/docs", response_class=HTMLResponse, include_in_schema=False)
    async def description(request: Request) -> str:
        """A page about all paths that loads nothing from elsewhere."""
        rows = [
            f"<tr><th scope=row>{method.upper()} {escape(path)}</th><td>{escape(told)}</td></tr>"
            for path, methods in request.app.openapi()["paths"].items()
            for method, about in methods.items()
            if (told := about.get("description", about["summary"]))
        ]
        return (
            "<!doctype html><html lang=en><title>labelfield service</title>"
            f"<h1>labelfield service {__version__}</h1><table>{''.join(rows)}</table>"
            "<p>Requests and answers in full: <a href=/openapi.json>openapi.json</a></p></html>"
        )

    @routes.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> str:
        """Counts and times in the text format of Prometheus."""
        return backend.metrics.text()

    return routes
