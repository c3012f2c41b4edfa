"""The ASGI application: routes over one :class:`docspec.serve.gateway.Gateway`."""

from __future__ import annotations

import contextlib
import logging
import time
import traceback
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from docspec.core import ParseOptions
from docspec.serve.admission import drain
from docspec.serve.completions import completions, model, models, server_facts
from docspec.serve.description import description_routes
from docspec.serve.documents import Documents
from docspec.serve.gateway import Gateway
from docspec.serve.metrics import span
from docspec.serve.passing import PASSED, passed
from docspec.serve.refusal import Refusal, refused
from docspec.serve.settings import GatewaySettings

LOG = logging.getLogger("docspec.serve")


def make_app(settings: GatewaySettings, local: bool = True) -> Starlette:
    """The application; ``local``: the gateway listens on the loopback interface only."""
    gateway = Gateway(settings, local)

    documents = Documents(gateway, settings.options or ParseOptions())

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        documents.start()
        try:
            yield
        finally:
            await documents.close()
            await gateway.close()

    counted = partial(_counted, gateway)
    chat, listed = "A completion of a chat, with drafts.", "The models behind this gateway."
    facts = "What llama.cpp behind this gateway says of itself."
    routes = [
        *(counted(path, completions, "POST", chat) for path in ("/v1/chat/completions", "/chat/completions")),
        *(counted(path, passed, "POST", "Passed on to a server as it is.") for path in PASSED),
        counted("/v1/models/{name:path}", model, "GET", "A model behind this gateway."),
        *(counted(path, models, "GET", listed) for path in ("/v1/models", "/models")),
        *(counted(path, partial(server_facts, path=path), "GET", facts) for path in ("/props", "/slots")),
        *(Route(path, _health) for path in ("/health", "/v1/health", "/healthz")),
        *(Route(path, partial(_ready, gateway, documents)) for path in ("/ready", "/readyz")),
        Route("/version", _version),
        Route("/metrics", partial(_metrics, gateway)),
        *documents.routes,
    ]
    routes += description_routes(routes)
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(_Unambiguous)],
        exception_handlers={Refusal: refused, HTTPException: _unknown, Exception: _failed},
    )
    app.state.gateway = gateway

    def stop() -> None:
        documents.stop_soon()
        gateway.stopping.begin()

    app.state.stop = stop
    return app


def _counted(gateway: Gateway, path: str, app: Any, method: str, name: str) -> Route:
    return Route(path, _Counted(gateway, path, partial(app, gateway)), methods=[method], name=name)


class _Counted:
    """A route that counts its answers by their status, and how long they took."""

    def __init__(self, gateway: Gateway, path: str, app: ASGIApp) -> None:
        self._gateway = gateway
        self._path = path
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, began = "left", time.perf_counter()

        async def counting(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            with span(scope["method"], self._path, Headers(scope=scope)) as active:
                await self._app(scope, receive, counting)
                if active is not None:
                    active.set_attribute("http.response.status_code", status)
        except ClientDisconnect:
            status = "left"  # the client has left, or the answer broke off: the connection closes
        except Refusal as refusal:
            status = str(refusal.status)
            if refusal.status in (401, 403, 413, 429):
                await drain(receive)
            raise
        finally:
            self._gateway.metrics.add("requests_total", route=scope["path"], status=status)
            self._gateway.metrics.observe("request_seconds", time.perf_counter() - began, route=self._path)


class _Unambiguous:
    """Refuses a request whose end two headers tell differently, and closes its connection: to whoever stands in front
    of this gateway, what comes behind it might be a part of it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            if "content-length" in headers and "transfer-encoding" in headers:
                refusal = Refusal(400, "Content-Length beside Transfer-Encoding: send one of them").response
                refusal.headers["Connection"] = "close"
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


async def _unknown(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    known = {404: "there is no such route here", 405: "not this method", 400: "the body is not what its type says"}
    return Refusal(status, known.get(status, "the request is not understood")).response


async def _failed(request: Request, error: Exception) -> Response:
    """Logs where the error happened. The error's text is left out, because it may contain what a client sent."""
    frames = "; ".join(f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-4:])
    LOG.error("unexpected %s at %s", type(error).__name__, frames)
    return Refusal(500, "unexpected error in the gateway").response


async def _health(request: Request) -> Response:
    """Whether this process answers."""
    return JSONResponse({"status": "ok"})


async def _ready(gateway: Gateway, documents: Documents, request: Request) -> Response:
    """Whether requests are taken: an upstream is there, documents can be stored, and no end has begun."""
    fault = documents.fault if gateway.upstreams.are_there else "no upstream"
    fault = "stopping" if gateway.stopping.has_begun else fault
    return JSONResponse({"status": fault or "ok"}, 503 if fault else 200)


async def _version(request: Request) -> Response:
    """The versions of docspec and of what it uses."""
    from docspec.versions import versions

    return JSONResponse({name: version for name, version in versions().items() if version})


async def _metrics(gateway: Gateway, request: Request) -> Response:
    """Counters, gauges and histograms of latency, for Prometheus."""
    gateway.access.client(request.scope)
    return PlainTextResponse(gateway.metrics.text(), media_type="text/plain; version=0.0.4")
