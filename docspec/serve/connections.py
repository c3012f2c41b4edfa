"""Bounds on connections: their number, how long one may go without a request, and how long a client may not read.

uvicorn limits only the time between two requests. A connection that sends half a head, or nothing, would be kept for
ever, and each takes a descriptor: some hundreds, and nobody else is let in.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections import OrderedDict
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

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
