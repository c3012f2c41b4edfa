"""The sessions of MCP's clients: how many each may have, and whose each one is.

The SDK bounds the sessions of all clients together, so that one client could take them all.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.types import Message

from docspec.serve.refusal import Refusal

HEADER = "mcp-session-id"
RETRY_SECONDS = 30


@dataclass(slots=True, eq=False)
class Session:
    """A session of ``client``; its ``name`` is empty until it is opened. ``running`` requests use it now, the last one
    ended at ``used`` (monotonic seconds)."""

    client: str
    name: str = ""
    running: int = 0
    used: float = field(default_factory=time.monotonic)
    has_ended: bool = False

    def answered(self, message: Message, method: str) -> None:
        """Learns from the beginning of an answer that the session was opened, or has ended."""
        named = Headers(raw=message["headers"]).get(HEADER, "")
        is_good = message["status"] < 400
        if not self.name and is_good:
            self.name = named
        self.has_ended |= message["status"] == 404 or (method == "DELETE" and is_good)


class Sessions:
    """All sessions; a client may have ``each`` of them. One that no request uses for ``seconds`` has ended."""

    def __init__(self, each: int, seconds: float) -> None:
        self._each = each
        self._seconds = seconds
        self._all: list[Session] = []

    @contextlib.contextmanager
    def request(self, client: str, name: str | None) -> Iterator[Session]:
        """A request in the session called ``name``, or in a new one. Raises
        :class:`docspec.serve.refusal.Refusal` (404, 429)."""
        now = time.monotonic()
        self._all = [one for one in self._all if one.running or now - one.used < self._seconds]
        own = [one for one in self._all if one.client == client]
        if name is None:
            if len(own) >= self._each:
                raise Refusal(429, f"{self._each} sessions are open; end one, or wait until it is idle", RETRY_SECONDS)
            session = Session(client)
            self._all.append(session)
        elif (session := next((one for one in own if one.name == name), None)) is None:  # type: ignore[assignment]
            raise Refusal(404, "Session not found")
        session.running += 1
        try:
            yield session
        finally:
            session.running -= 1
            session.used = time.monotonic()
            if (session.has_ended or not session.name) and session in self._all:
                self._all.remove(session)
