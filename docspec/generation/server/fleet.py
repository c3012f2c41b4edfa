"""Chooses the server of each request, and decides how long a server that fails rests and when it is given up.

A server rests after a failure, longer after each further one; its limit of concurrent requests is halved and rises by
one with every answer. After ``patience`` seconds without an answer it is given up, and the others get its requests. All
of this runs in one thread, that of the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from docspec.core import ModelError
from docspec.generation.server.mending import Habits
from docspec.generation.server.wire import ServedModel, ServerCounts

MOST_AT_ONCE = 128
"""Concurrent requests to one server; others wait here and may go to another server."""

FIRST_REST, LONGEST_REST = 0.25, 15.0
"""Seconds of a server's rest after its first failure in a row, and the longest rest."""


@dataclass(slots=True, eq=False)
class Server:
    """The state of one server: its limit of concurrent requests (``limit``) and their present number (``busy``), its
    failures in a row and when they began, the end of its rest (both in monotonic seconds), why it was given up
    (``lost``), and its counts. Its ``model`` is asked once, under ``asking``; ``counted`` were its own counters then.
    ``answered_at`` is when it last answered a request (monotonic seconds), ``habits`` how it wants them.
    """

    url: str
    limit: int = MOST_AT_ONCE
    busy: int = 0
    failures: int = 0
    failing_since: float = 0.0
    rests_until: float = 0.0
    lost: str = ""
    answered: int = 0
    answered_at: float = 0.0
    habits: Habits = field(default_factory=Habits)
    failed_attempts: int = 0
    model: ServedModel | None = None
    counted: ServerCounts | None = None
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def has_room(self, now: float) -> bool:
        return not self.lost and self.busy < self.limit and self.rests_until <= now

    def succeeded(self) -> None:
        """Counts an answer, and raises the limit of concurrent requests by one."""
        self.answered += 1
        self.is_well()
        self.limit = min(MOST_AT_ONCE, self.limit + 1)

    def is_well(self) -> None:
        """Ends its rest: it answers."""
        self.answered_at = time.monotonic()
        self.failures, self.rests_until = 0, 0.0

    def failed(self, patience: float, least_rest: float) -> bool:
        """Counts a failure: the server rests, ``least_rest`` seconds or more, and its limit is halved; true after
        ``patience`` seconds of failures. A request that fails during a rest was sent before it, so it does not halve
        the limit again."""
        now = time.monotonic()
        self.failed_attempts += 1
        if not self.failures:
            self.failing_since = now
        if now >= self.rests_until:
            self.failures += 1
            self.limit = max(1, min(self.limit, self.busy) // 2)
        self.rests_until = max(self.rests_until, now + max(least_rest, rest_after(self.failures)))
        return now - self.failing_since >= patience

    def asks_for_rest(self, now: float, seconds: float) -> bool:
        """Whether a rest of ``seconds`` is news: longer than what is left of the present one."""
        return seconds >= LONGEST_REST and now + seconds > self.rests_until + 1


def rest_after(failures: int) -> float:
    """Seconds of rest after so many failures in a row, with random jitter."""
    return min(LONGEST_REST, FIRST_REST * 2.0 ** min(failures - 1, 16)) * random.uniform(0.75, 1.25)


class Fleet:
    """Deals requests to servers in the order of their arrival, each to the least busy server."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self.servers = tuple(servers)
        self._turn = asyncio.Lock()  # first come, first served: the first request in line waits for a server
        self._changed = asyncio.Event()

    async def take(self, but: Collection[Server] = ()) -> Server | None:
        """Waits for a server that has room, none of ``but``; :meth:`give_back` returns it. ``None`` if no other is
        left; raises :class:`docspec.core.ModelError` once all are given up."""
        async with self._turn:
            while True:
                if all(server.lost for server in self.servers):
                    raise ModelError("; ".join(f"{server.url}: {server.lost}" for server in self.servers))
                left = [server for server in self.servers if not server.lost and server not in but]
                if not left:
                    return None
                now = time.monotonic()
                free = [server for server in left if server.has_room(now)]
                if free:
                    server = min(free, key=lambda one: one.busy)
                    server.busy += 1
                    return server
                rest = min(server.rests_until for server in left) - now
                self._changed.clear()
                with contextlib.suppress(TimeoutError):  # if all servers are only busy, one is given back
                    async with asyncio.timeout(rest if rest > 0 else None):
                        await self._changed.wait()

    def give_back(self, server: Server) -> None:
        """Ends one request to ``server``."""
        server.busy -= 1
        self._changed.set()
