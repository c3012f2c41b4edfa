"""Limits on the number of requests at a time and on the memory of their bodies."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Iterator

from docspec.serve.refusal import Refusal

RETRY_SECONDS = 2


class Admission:
    """Admits up to ``most`` requests and refuses further ones with 429. The admitted requests share ``held`` bytes for
    their bodies in the order of their arrival: a body is read when there is room for it."""

    def __init__(self, most: int, held: int) -> None:
        self._most = most
        self._room = self._held = held
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self.here = 0

    @contextlib.contextmanager
    def enter(self) -> Iterator[None]:
        if self.here >= self._most:
            raise Refusal(429, f"{self.here} requests are waiting already; try again later", RETRY_SECONDS)
        self.here += 1
        try:
            yield
        finally:
            self.here -= 1

    @contextlib.asynccontextmanager
    async def room(self, size: int) -> AsyncIterator[None]:
        """Reserves ``size`` bytes (at most the whole budget) for the caller."""
        size = min(size, self._held)
        if self._waiting or size > self._room:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append((size, turn))
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._give_back(size)
                elif (size, turn) in self._waiting:
                    self._waiting.remove((size, turn))
                    self._hand_out()
                raise
        else:
            self._room -= size
        try:
            yield
        finally:
            self._give_back(size)

    def _give_back(self, size: int) -> None:
        self._room += size
        self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._room:
            size, turn = self._waiting.popleft()
            if not turn.cancelled():
                self._room -= size
                turn.set_result(None)
