"""Runs an application until it is told to stop, and lets running requests finish.

uvicorn limits only the time between two requests. A connection that sends half a head, or nothing, would be kept for
ever, and each takes a descriptor: some hundreds, and nobody else is let in.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from docspec.core import UsageError
from docspec.serve.refusal import Refusal

if os.name != "nt":
    import fcntl
    import resource
    import termios

DESCRIPTORS = 16_384
"""Descriptors that are asked for at the start, where the system allows so many."""

KEPT_FREE = 256
"""Descriptors for all that is no connection of a client: upstreams, files, child processes."""

MOST_CONNECTIONS = 4_096

EACH = 0.5
"""The share of all connections that one address may have without a request."""


class Connections:
    """The connections of one server: at most ``most``. Without a request one has ``seconds`` for the next head; beyond
    the most of all, or of one address, the one that has waited longest is closed. One whose client takes nothing of
    what it is sent for ``stalled`` seconds is closed, too."""

    def __init__(self, most: int, seconds: float, stalled: float) -> None:
        self.most = most
        self.seconds = seconds
        self.stalled = stalled
        self._waiting: OrderedDict[BoundedProtocol, str] = OrderedDict()
        self.open = 0

    def made(self, connection: BoundedProtocol) -> bool:
        """Counts a new connection; false if there is no room for it."""
        self.open += 1
        if self.open <= self.most:
            return True
        oldest = next(iter(self._waiting), None)
        if oldest is not None:
            oldest.drop()
        return oldest is not None

    def lost(self, connection: BoundedProtocol) -> None:
        self.open -= 1
        self._waiting.pop(connection, None)

    def waits(self, connection: BoundedProtocol) -> None:
        """The connection is without a request from now on."""
        address = connection.client[0] if connection.client else ""
        self._waiting[connection] = address
        of_address = [one for one, other in self._waiting.items() if other == address]
        if len(of_address) > EACH * self.most:
            of_address[0].drop()

    def works(self, connection: BoundedProtocol) -> None:
        """The connection has a request."""
        self._waiting.pop(connection, None)


class BoundedProtocol(H11Protocol):
    """A connection within the bounds of all of them."""

    def __init__(self, *arguments: Any, bounds: Connections, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._bounds = bounds
        self._late: asyncio.TimerHandle | None = None
        self._stalls: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not self._bounds.made(self):
            transport.abort()
        self._bounds.waits(self)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_arrived()
        self._read_on()
        self._bounds.lost(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._has_request:
            self._expect_head()
        super().data_received(data)
        if self._has_request:
            self._head_arrived()

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP gets an error as all others do, in JSON."""
        refusal = Refusal(400, "the request is no valid HTTP").response
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        whole = h11.Data(data=bytes(refusal.body))
        for event in (h11.Response(status_code=400, headers=headers, reason=b"Bad Request"), whole, h11.EndOfMessage()):
            self.transport.write(self.conn.send(event))
        self.transport.close()

    def on_response_complete(self) -> None:
        self._bounds.waits(self)
        super().on_response_complete()
        if self._has_request:  # it was there already
            self._head_arrived()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch(_unsent(self.transport))

    def resume_writing(self) -> None:
        self._read_on()
        super().resume_writing()

    def drop(self) -> None:
        """Closes the connection without sending what is left to send."""
        self._bounds.works(self)
        self.transport.abort()

    @property
    def _has_request(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _watch(self, left: int) -> None:
        """Looks after a while whether the client has taken any of the ``left`` bytes."""

        def look() -> None:
            now = _unsent(self.transport)
            if now < left:
                self._watch(now)
            else:
                self.drop()

        self._stalls = self.loop.call_later(self._bounds.stalled, look)

    def _read_on(self) -> None:
        if self._stalls is not None:
            self._stalls.cancel()
            self._stalls = None

    def _expect_head(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self._bounds.seconds, self.drop)

    def _head_arrived(self) -> None:
        self._bounds.works(self)
        if self._late is not None:
            self._late.cancel()
            self._late = None


def _unsent(transport: asyncio.Transport) -> int:
    """Bytes that the other end has not taken: here, and where the system tells, in its own buffer."""
    waiting = 0
    with contextlib.suppress(NameError, OSError, AttributeError):
        count = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
        waiting = int.from_bytes(count, sys.byteorder)
    return transport.get_write_buffer_size() + waiting


def room_for_connections() -> int:
    """How many connections there may be; asks the system for more descriptors first."""
    with contextlib.suppress(NameError, ValueError, OSError):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        if soft != resource.RLIM_INFINITY:
            return max(16, min(MOST_CONNECTIONS, soft - KEPT_FREE))
    return MOST_CONNECTIONS


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
