"""Limits on the number of requests at a time, on their bodies and on their memory; and clients that disconnect."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from docspec.serve.refusal import Refusal
from docspec.serve.settings import Limits

T = TypeVar("T")

RETRY_SECONDS = 2

LOOK_SECONDS = 0.2
"""Seconds between two looks at whose turn it is."""

BEHIND_SECONDS = 5.0
"""For the work that is left once a client has its whole answer."""

DRAIN_SECONDS = 5.0
"""For the rest of a refused body to arrive."""


class Admission:
    """Admits up to ``most`` requests and refuses further ones with 429. The admitted requests share ``held`` bytes, of
    which one client has at most ``share``; who needs more waits up to ``seconds`` and is refused then (503).

    Requests that all hold a part and wait for the rest would wait for each other. So the oldest that waits may go
    ``spare`` bytes beyond, one at a time and for ``seconds``.
    """

    def __init__(self, most: int, held: int, share: int, seconds: float, spare: int = 0) -> None:
        self._most = most
        self._held = held
        self._share = share
        self._seconds = seconds
        self._spare = spare
        self._taken: Counter[str] = Counter()
        self._freed = asyncio.Event()
        self._waiting: list[Holding] = []
        self._first: Holding | None = None
        self._first_until = 0.0
        self._numbers = itertools.count()
        self.here = 0

    @property
    def taken(self) -> int:
        """Bytes that all requests hold."""
        return self._taken.total()

    @contextlib.contextmanager
    def enter(self, client: str = "") -> Iterator[Holding]:
        """One request of ``client``, and what it holds until its end."""
        if self.here >= self._most:
            raise Refusal(429, f"{self.here} requests are waiting already; try again later", RETRY_SECONDS)
        self.here += 1
        holding = Holding(self, client, next(self._numbers))
        try:
            yield holding
        finally:
            self.here -= 1
            if self._first is holding:
                self._first = None
            holding.free(holding.size)

    async def take(self, holding: Holding, size: int) -> None:
        """Takes ``size`` bytes for a request when there is room. Raises :class:`Refusal` (413, 503)."""
        if holding.size + size > max(self._spare, min(self._held, self._share)):
            raise Refusal(413, "the request would take more memory than one may have here")
        if not self.has_room(holding.client, size):
            self._waiting.append(holding)
            try:
                async with asyncio.timeout(self._seconds):
                    while not (self.has_room(holding.client, size) or self._goes_beyond(holding, size)):
                        self._freed.clear()
                        with contextlib.suppress(TimeoutError):
                            async with asyncio.timeout(LOOK_SECONDS):
                                await self._freed.wait()
            except TimeoutError:
                raise Refusal(503, "other requests take all the memory; try again later", RETRY_SECONDS) from None
            finally:
                self._waiting.remove(holding)
        self._taken[holding.client] += size
        holding.size += size

    def free(self, holding: Holding, size: int) -> None:
        holding.size -= size
        self._taken[holding.client] -= size
        if not self._taken[holding.client]:
            del self._taken[holding.client]
        self._freed.set()

    def has_room(self, client: str, size: int) -> bool:
        return self.taken + size <= self._held and self._taken[client] + size <= self._share

    def _goes_beyond(self, holding: Holding, size: int) -> bool:
        now = asyncio.get_running_loop().time()
        if self._first is None or now > self._first_until:
            oldest = min(self._waiting, key=lambda one: one.number)
            self._first, self._first_until = oldest, now + self._seconds
        beyond = self._held + self._spare
        return self._spare > 0 and self._first is holding and self.taken + size <= beyond


class Holding:
    """The memory of one request of ``client``: ``size`` bytes. Later requests have greater numbers."""

    def __init__(self, admission: Admission, client: str, number: int) -> None:
        self._admission = admission
        self.client = client
        self.number = number
        self.size = 0

    async def take(self, size: int) -> None:
        """Takes ``size`` bytes more, until the request ends. Raises :class:`Refusal` (413, 503)."""
        await self._admission.take(self, size)

    def free(self, size: int) -> None:
        """Gives ``size`` bytes back before the request's end."""
        self._admission.free(self, size)


def check_declared(headers: Headers, limits: Limits) -> None:
    """Raises :class:`Refusal` if the client says that its body is too large (413) or packed (415): how large it is
    would be known only once it is unpacked."""
    packed = headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("", "identity"):
        raise Refusal(415, "bodies are read as they are; send it without Content-Encoding")
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) > limits.body:
        raise too_large(limits)


def bounded(receive: Receive, limits: Limits, holding: Holding) -> Receive:
    """``receive`` that raises :class:`Refusal` if a body is too large (413), or pauses too long or arrives too slowly
    (408). Room is taken for what has arrived, not for what is announced."""
    loop = asyncio.get_running_loop()
    size, waited = 0, 0.0  # waiting for room is no fault of the client's
    is_whole = False

    async def receive_bounded() -> Message:
        nonlocal size, waited, is_whole
        if is_whole:  # the next message is that the client has left
            return await receive()
        began = loop.time()
        try:
            async with asyncio.timeout(limits.pause_seconds):
                message = await receive()
        except TimeoutError:
            raise Refusal(408, f"nothing of the body arrived for {limits.pause_seconds:g} s") from None
        waited += loop.time() - began
        is_whole = not message.get("more_body")
        piece = len(message.get("body", b""))
        size += piece
        if size > limits.body:
            raise too_large(limits)
        if message.get("more_body") and waited > limits.pause_seconds + size / limits.least_rate:
            raise Refusal(408, f"the body arrives with less than {limits.least_rate / 1024:g} KiB a second")
        await holding.take(piece)
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
