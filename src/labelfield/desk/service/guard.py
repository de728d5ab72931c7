"""What every request passes first: host, size, time, who asks; and what every answer carries."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any

from labelfield.desk.service.metrics import Metrics

__all__ = ["COOKIE", "DEFAULT_LIMITS", "LOG", "Guard", "Limits"]

LOG = logging.getLogger("labelfield.desk")
COOKIE = "labelfield_desk"
WRITES = ("POST", "PUT", "PATCH", "DELETE")
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


@dataclass(frozen=True)
class Limits:
    """Bytes of a body, seconds to send it and to answer it, and requests at a time."""

    max_bytes: int = 2**23
    body_seconds: float = 10.0
    answer_seconds: float = 60.0
    max_at_once: int = 500


DEFAULT_LIMITS = Limits()


class Guard:
    """Wraps an application.

    Parameters
    ----------
    app : ASGI application
    who : callable
        `who(token)` returns the name of whoever has the token, None if nobody; gets "" without.
    hosts : iterable of str
        Names by which the service may be called; any other is refused, against pages elsewhere
        that make a browser talk to 127.0.0.1 under their own name.
    open_paths : tuple of str
        Beginnings of paths that need no token.
    """

    def __init__(
        self,
        app: App,
        *,
        who: Callable[[str], str | None],
        hosts: Iterable[str],
        metrics: Metrics,
        open_paths: tuple[str, ...] = ("/health",),
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.app = app
        self.who = who
        self.hosts = frozenset(name.lower() for name in hosts)
        self.metrics = metrics
        self.open_paths = open_paths
        self.limits = limits
        self.at_work = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = {name.lower() for name, _ in message.get("headers", ())}
                extra = [one for one in HEADERS if one[0] not in given]
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        self.at_work += 1
        try:
            refused = await self._answer(scope, receive, send_guarded)
            if refused is not None:
                await _send_error(send_guarded, *refused)
        except ConnectionResetError:
            status = 499  # the client has gone
        finally:
            self.at_work -= 1
            seconds = time.perf_counter() - began
            self.metrics.count(scope["path"], status, seconds)
            LOG.info(
                "request",
                extra={
                    "told": {
                        "method": scope["method"],
                        "path": scope["path"][:200],
                        "status": status,
                        "ms": round(1000 * seconds, 1),
                        "who": scope.get("labelfield.who"),
                    }
                },
            )

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> Any:
        """Let the application answer, or return status and reason of a refusal."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refusal(scope, headers)
        if refused is not None:
            return refused
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                body = await _read_body(receive, self.limits.max_bytes)
        except TimeoutError:
            return 408, "The request did not arrive in time."
        if body is None:
            return 413, f"A request may have {self.limits.max_bytes} bytes."
        try:
            async with asyncio.timeout(self.limits.answer_seconds):
                await self.app(scope, _replay(body, receive), send)
        except TimeoutError:
            return 503, "The answer took too long."
        return None

    def _refusal(self, scope: Message, headers: dict[bytes, str]) -> tuple[int, str] | None:
        if self.at_work > self.limits.max_at_once:
            return 503, "Too many requests at once; try again."
        host = headers.get(b"host", "")
        if _host_name(host) not in self.hosts:
            return 421, "The service is not known by this name; start it with --host NAME."
        length = headers.get(b"content-length", "0")
        if not length.isdecimal() or int(length) > self.limits.max_bytes:
            return 413, f"A request may have {self.limits.max_bytes} bytes."
        if scope["path"].startswith(self.open_paths):
            return None
        scheme, _, token = headers.get(b"authorization", "").partition(" ")
        from_cookie = scheme.lower() != "bearer"
        scope["labelfield.who"] = self.who(_cookie(headers) if from_cookie else token.strip())
        if scope["labelfield.who"] is None:
            return 401, "A token is needed: Authorization: Bearer TOKEN."
        if scope["method"] in WRITES and from_cookie and not _is_own(headers, host):
            return 403, "Writes must come from the page itself."
        return None


def _is_own(headers: dict[bytes, str], host: str) -> bool:
    """Whether a write with a cookie comes from our page: other sites cannot set this header."""
    origin = headers.get(b"origin")
    same = origin is None or origin.split("://")[-1] == host
    return same and headers.get(b"x-labelfield-desk") == "1"


def _host_name(host: str) -> str:
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    return name.strip("[]").lower()


def _cookie(headers: dict[bytes, str]) -> str:
    try:
        cookie = SimpleCookie(headers.get(b"cookie", ""))
    except CookieError:
        return ""
    return cookie[COOKIE].value if COOKIE in cookie else ""


async def _read_body(receive: Receive, max_bytes: int) -> bytes | None:
    """Return the body, None if it is too long."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > max_bytes:
            return None
        more = message.get("more_body", False)
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _send_error(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"detail": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
