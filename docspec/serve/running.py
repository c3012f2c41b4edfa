"""Runs an application until it is told to stop, and lets running requests finish."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp

from docspec.core import UsageError
from docspec.serve.connections import BoundedProtocol, Connections, room_for_connections

IDLE_SECONDS = 30
"""Seconds after which an idle connection is closed."""


HEAD_SECONDS = 10.0
"""Seconds for the head of a request, from its first byte or the connection's beginning."""

LEAVING_SECONDS = 1.0
"""Seconds from a signal to the end of listening: ``/readyz`` says meanwhile that the server stops."""

STALLED_SECONDS = 30.0
"""Seconds in which a client has to take something of its answer."""


def run(
    app: ASGIApp,
    host: str,
    port: int,
    drain_seconds: float,
    say: Callable[[str], None],
    stopping: Callable[[], None] = lambda: None,
) -> None:
    """Serves ``app`` until ``SIGTERM`` or ``SIGINT``; then ``stopping`` is called, and running requests have
    ``drain_seconds`` to finish. Port 0 is
    any free one; ``say`` is called with the address once connections are accepted. Raises :class:`UsageError` if the
    address cannot be bound."""
    # uvicorn logs errors with what raised them, in which a request's content may stand.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)
    try:
        listening = _listening(host, port)
    except OSError as error:
        raise UsageError(f"--host {host} --port {port}: cannot listen there ({error.strerror or error})") from None
    bounds = Connections(room_for_connections(), HEAD_SECONDS, STALLED_SECONDS)
    config = uvicorn.Config(
        app,
        http=cast(Any, partial(BoundedProtocol, bounds=bounds)),
        log_config=None,
        access_log=False,
        proxy_headers=False,  # whoever is on this machine could say who it is
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=max(1, round(drain_seconds - LEAVING_SECONDS)),
        lifespan="on",
        ws="none",
    )
    shown = f"[{host}]" if ":" in host else host
    say(f"http://{shown}:{listening.getsockname()[1]}")
    _Server(config, stopping).run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that ends normally after a signal, where uvicorn would raise the signal again. It calls ``stopping``
    before it waits for running requests."""

    def __init__(self, config: uvicorn.Config, stopping: Callable[[], None]) -> None:
        super().__init__(config)
        self._stopping = stopping

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping()
        await asyncio.sleep(LEAVING_SECONDS)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def _listening(host: str, port: int) -> socket.socket:
    family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, kind, proto)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(address)
    listening.listen(2048)
    return listening
