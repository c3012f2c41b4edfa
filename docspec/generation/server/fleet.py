"""Which server is asked next, how long one that failed is left alone, and when it is given up.

A server rests after a failure, longer after each further one, and is sent half as many requests side by side, one more
with every answer. Without an answer for ``patience`` seconds it is given up, and its requests are the others'. All of
this runs in one thread, that of the event loop.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from docspec.core import ModelError

MOST_AT_ONCE = 128
"""Requests that one server is sent side by side; others wait here, and may go to another server."""

FIRST_REST, LONGEST_REST = 0.25, 15.0
"""Seconds that a server rests after its first failure in a row, and after many."""


@dataclass(slots=True, eq=False)
class Server:
    """One server as it was found: the ``most`` requests that it is sent side by side and those that it is ``busy``
    with, failures in a row and since when (monotonic seconds), until when it rests, why it was given up (``lost``), and
    what it did."""

    url: str
    most: int = MOST_AT_ONCE
    busy: int = 0
    failures: int = 0
    failing_since: float = 0.0
    rests_until: float = 0.0
    lost: str = ""
    answered: int = 0
    failed_attempts: int = 0

    def has_room(self, now: float) -> bool:
        """Whether it can be asked something now."""
        return not self.lost and self.busy < self.most and self.rests_until <= now

    def succeeded(self) -> None:
        """It has answered, and is sent one request more."""
        self.answered += 1
        self.failures, self.rests_until = 0, 0.0
        self.most = min(MOST_AT_ONCE, self.most + 1)

    def failed(self, why: str, patience: float, least_rest: float = 0.0) -> None:
        """It could not answer because of ``why``, and asked for ``least_rest`` seconds: it rests and is sent half as
        much. Given up after ``patience`` seconds of failures. What fails while it rests was under way already."""
        now = time.monotonic()
        self.failed_attempts += 1
        if not self.failures:
            self.failing_since = now
        elif now - self.failing_since >= patience:
            self.lost = f"{why}, and that for {patience:g} s (--page-timeout)"
            return
        if now >= self.rests_until:
            self.failures += 1
            self.most = max(1, min(self.most, self.busy) // 2)
        self.rests_until = max(self.rests_until, now + max(least_rest, rest_after(self.failures)))


def rest_after(failures: int) -> float:
    """Seconds to wait after so many failures in a row; no two wait for the same time."""
    return min(LONGEST_REST, FIRST_REST * 2.0 ** min(failures - 1, 16)) * random.uniform(0.75, 1.25)


class Fleet:
    """Deals requests out to servers, the first come first, to the server that has the least to do."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self.servers = tuple(servers)
        self._waiting: deque[asyncio.Future[Server]] = deque()
        self._wake: asyncio.TimerHandle | None = None

    async def take(self) -> Server:
        """A server that has room; it is to be given back. Raises :class:`docspec.core.ModelError` once all are given
        up."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self.deal()
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self.give_back(place.result())
            raise

    def give_back(self, server: Server) -> None:
        """The request that was dealt to ``server`` is done there."""
        server.busy -= 1
        self.deal()

    def deal(self) -> None:
        """Gives waiting requests to servers as long as one has room."""
        while self._waiting:
            if self._waiting[0].done():
                self._waiting.popleft()
                continue
            left = [server for server in self.servers if not server.lost]
            if not left:
                self._waiting.popleft().set_exception(self.gone())
                continue
            now = time.monotonic()
            free = [server for server in left if server.has_room(now)]
            if not free:
                self._deal_later(min(server.rests_until for server in left) - now)
                return
            server = min(free, key=lambda one: one.busy)
            server.busy += 1
            self._waiting.popleft().set_result(server)

    def gone(self) -> ModelError:
        """Says of each server why it was given up."""
        return ModelError("; ".join(f"{server.url}: {server.lost}" for server in self.servers))

    def _deal_later(self, seconds: float) -> None:
        """Deals again when a server has rested; where all are merely busy, giving one back deals."""
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        if seconds > 0:
            self._wake = asyncio.get_running_loop().call_later(seconds, self.deal)
