"""What becomes of running chats when the gateway is told to stop.

They have its grace time, as long as their server is there: one that answers nothing else either would only be waited
for. Who gets no answer is told so, and may ask another gateway.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from starlette.requests import ClientDisconnect

from docspec.serve.refusal import Refusal
from docspec.serve.upstream import BROKEN, PROBE_SECONDS, Upstream, Upstreams

PROBES = 2
"""Probes in a row that a server has to miss."""

EARLIER = 1.0
"""Seconds before the end of the grace time at which answers are given up, so that clients are still told."""


class RunningChat:
    """A chat in progress: ``upstream`` is its server (``None`` while it has none), ``is_told`` says that the client
    has a part of its answer."""

    upstream: Upstream | None = None
    is_told = False
    given_up = False
    task: asyncio.Task[None] | None = None

    def give_up(self) -> None:
        self.given_up = True
        if self.task is not None:
            self.task.cancel()


class Stopping:
    """The running chats over ``upstreams``, and their end within ``seconds`` of grace."""

    def __init__(self, upstreams: Upstreams, seconds: float) -> None:
        self._upstreams = upstreams
        self._seconds = seconds
        self._running: set[RunningChat] = set()
        self._work: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def running(self, chat: RunningChat) -> AsyncIterator[None]:
        """Raises :class:`docspec.serve.refusal.Refusal` (503) if the chat is given up meanwhile, and
        ``ClientDisconnect`` if a part of its answer is sent."""
        self._running.add(chat)
        try:
            yield
        except asyncio.CancelledError:
            if not chat.given_up:
                raise
            if chat.is_told:
                raise ClientDisconnect from None
            raise Refusal(503, "the gateway is stopped; try again later", 5) from None
        finally:
            self._running.discard(chat)

    @property
    def has_begun(self) -> bool:
        """Whether the gateway was told to stop: ``/ready`` says so, and balancers send no more requests."""
        return self._work is not None

    def begin(self) -> None:
        """Gives chats up from now on: at once whose server misses :data:`PROBES`, and all at the end."""
        self._work = asyncio.ensure_future(self._give_up())

    async def _give_up(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, self._seconds - EARLIER)):
                await asyncio.gather(*map(self._watch, self._upstreams.all))
        for chat in list(self._running):
            chat.give_up()

    async def _watch(self, upstream: Upstream) -> None:
        missed = 0
        while True:
            began = asyncio.get_running_loop().time()
            missed = 0 if await _answers(upstream) else missed + 1
            if missed >= PROBES:
                for chat in list(self._running):
                    if chat.upstream is upstream:
                        chat.give_up()
            await asyncio.sleep(max(0.0, began + PROBE_SECONDS - asyncio.get_running_loop().time()))


async def _answers(upstream: Upstream) -> bool:
    try:
        async with asyncio.timeout(PROBE_SECONDS), await upstream.ask("/v1/models", seconds=PROBE_SECONDS):
            return True
    except BROKEN:
        return False
