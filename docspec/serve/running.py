"""Runs an application until it is asked to stop, and lets the answers that are under way end."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import socket
from collections.abc import Callable, Iterator

import uvicorn
from starlette.types import ASGIApp

from docspec.core import UsageError

IDLE_SECONDS = 30
"""After which a connection without a request is closed."""


def is_loopback(host: str) -> bool:
    """Whether ``host`` is reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def run(app: ASGIApp, host: str, port: int, drain_seconds: float, say: Callable[[str], None]) -> None:
    """Serves ``app``; returns when ``SIGTERM`` or ``SIGINT`` came and what was under way has ended, or
    ``drain_seconds`` have passed. Port 0 takes a free one; ``say`` is told the address once connections are accepted.

    Raises :class:`UsageError` where it cannot listen there.
    """
    # uvicorn logs errors with what raised them, in which a request's content may stand.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)
    try:
        listening = _listening(host, port)
    except OSError as error:
        raise UsageError(f"--host {host} --port {port}: cannot listen there ({error.strerror or error})") from None
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=round(drain_seconds),
        lifespan="on",
        ws="none",
    )
    shown = f"[{host}]" if ":" in host else host
    say(f"http://{shown}:{listening.getsockname()[1]}")
    _Server(config).run(sockets=[listening])


class _Server(uvicorn.Server):
    """One for which a signal that was followed is done with: it ends the process as planned, not as a failure."""

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
