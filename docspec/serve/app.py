"""The ASGI application: routes over one :class:`docspec.serve.gateway.Gateway`."""

from __future__ import annotations

import contextlib
import logging
import traceback
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from docspec.core import ParseOptions
from docspec.serve.admission import drain
from docspec.serve.completions import completions, model, models
from docspec.serve.description import description_routes
from docspec.serve.documents import Documents
from docspec.serve.gateway import Gateway
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

    routes = [
        _counted(gateway, "/v1/chat/completions", completions, "POST", "A completion of a chat, with drafts."),
        _counted(gateway, "/v1/models/{name:path}", model, "GET", "A model behind this gateway."),
        _counted(gateway, "/v1/models", models, "GET", "The models behind this gateway."),
        *(Route(path, _health) for path in ("/health", "/healthz")),
        *(Route(path, partial(_ready, gateway, documents)) for path in ("/ready", "/readyz")),
        Route("/version", _version),
        Route("/metrics", partial(_metrics, gateway)),
        *documents.routes,
    ]
    routes += description_routes(routes)
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={Refusal: refused, 404: _unknown, 405: _unknown, Exception: _failed},
    )
    app.state.gateway = gateway

    def stop() -> None:
        documents.stop_soon()
        gateway.stopping.begin()

    app.state.stop = stop
    return app


def _counted(gateway: Gateway, path: str, app: Any, method: str, name: str) -> Route:
    return Route(path, _Counted(gateway, partial(app, gateway)), methods=[method], name=name)


class _Counted:
    """A route that counts its answers by their status."""

    def __init__(self, gateway: Gateway, app: ASGIApp) -> None:
        self._gateway = gateway
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status = "left"

        async def counting(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, counting)
        except ClientDisconnect:
            status = "left"  # the client has left, or the answer broke off: the connection closes
        except Refusal as refusal:
            status = str(refusal.status)
            if refusal.status in (401, 403, 413, 429):
                await drain(receive)
            raise
        finally:
            self._gateway.metrics.add("requests_total", route=scope["path"], status=status)


async def _unknown(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return Refusal(status, "there is no such route here" if status == 404 else "not this method").response


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
