"""Limits on the number of requests at a time, on their bodies and on their memory; and clients that disconnect."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from docspec.serve.refusal import Refusal
from docspec.serve.settings import Limits

T = TypeVar("T")

RETRY_SECONDS = 2

BEHIND_SECONDS = 5.0
"""For the work that is left once a client has its whole answer."""

DRAIN_SECONDS = 5.0
"""For the rest of a refused body to arrive."""


class Admission:
    """Admits up to ``most`` requests and refuses further ones with 429. The admitted requests share ``held`` bytes for
    their bodies in the order of their arrival: a body is read when there is room for it."""

    def __init__(self, most: int, held: int) -> None:
        self._most = most
        self._room = self._held = held
        self._turn = asyncio.Lock()  # first come, first served: the first request in line waits for room
        self._freed = asyncio.Event()
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
        async with self._turn:
            while size > self._room:
                self._freed.clear()
                await self._freed.wait()
            self._room -= size
        try:
            yield
        finally:
            self._room += size
            self._freed.set()


def declared_size(headers: Headers, limits: Limits) -> int:
    """Bytes of the body: its ``Content-Length``, or the limit where the client gives none. Raises :class:`Refusal`
    (413)."""
    said = headers.get("content-length", "")
    size = int(said) if said.isdecimal() else limits.body
    if size > limits.body:
        raise too_large(limits)
    return size


def bounded(receive: Receive, limits: Limits) -> Receive:
    """``receive`` that raises :class:`Refusal` (413) where a body is too large."""
    left = limits.body

    async def receive_bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise too_large(limits)
        return message

    return receive_bounded


def too_large(limits: Limits) -> Refusal:
    """The answer to a body that is larger than ``limits`` allow."""
    return Refusal(413, f"the body is larger than {limits.body / 2**20:g} MiB")


async def drain(receive: Receive) -> None:
    """Reads and drops the rest of a body, so that a client that is still sending can read its refusal."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while (message := await receive())["type"] == "http.request" and message.get("more_body"):
                pass


async def unless_left(work: asyncio.Task[T], receive: Receive, answered: Callable[[], bool] = lambda: False) -> T:
    """The result of ``work``, once the body was read. If the client disconnects before the answer is complete
    (``answered``), ``work`` is cancelled and ``ClientDisconnect`` is raised; work that is left after a complete answer
    gets :data:`BEHIND_SECONDS`."""
    gone = asyncio.ensure_future(_until_left(receive))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done() and answered():
            await asyncio.wait({work}, timeout=BEHIND_SECONDS)
        if not work.done():
            raise ClientDisconnect
        return work.result()
    finally:
        for task in (work, gone):
            if not task.done():
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task


async def _until_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
