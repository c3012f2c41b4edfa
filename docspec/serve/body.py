"""A request's body as it arrives, within bounds of size and time, and the wait for a client that leaves."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.types import Receive, Scope

from docspec.serve.refusal import Refusal
from docspec.serve.settings import Limits

T = TypeVar("T")

BEHIND_SECONDS = 5.0
"""For the work that is left once a client has its whole answer."""

DRAIN_SECONDS = 5.0
"""For the rest of a refused body to arrive."""


class Left(Exception):
    """The client has gone; nobody is to be answered."""


def declared_size(scope: Scope, limits: Limits) -> int:
    """Bytes that the body will take, the most that it may where the client does not say; refuses larger ones."""
    said = Headers(scope=scope).get("content-length", "")
    size = int(said) if said.isdecimal() else limits.body
    if size > limits.body:
        raise too_large(limits)
    return size


async def read_body(receive: Receive, limits: Limits) -> bytes:
    """The whole body. Raises :class:`Refusal` (413, 408) and :class:`Left`."""
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.body_seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Left
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > limits.body:
                    raise too_large(limits)
                if not message.get("more_body"):
                    return b"".join(parts)
    except TimeoutError:
        raise Refusal(408, f"the body did not arrive within {limits.body_seconds:g} s") from None


async def drain(receive: Receive) -> None:
    """Lets the rest of a body arrive and go, so that a client that is still sending it can read its refusal."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while (message := await receive())["type"] == "http.request" and message.get("more_body"):
                pass


def too_large(limits: Limits) -> Refusal:
    return Refusal(413, f"the body is larger than {limits.body / 2**20:g} MiB")


async def until_left(receive: Receive) -> None:
    """Returns when the client has gone; to be waited for after the body was read."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return


async def unless_left(work: asyncio.Task[T], receive: Receive, answered: Callable[[], bool]) -> T:
    """What ``work`` makes; it is cancelled, and :class:`Left` raised, where the client goes before it was ``answered``
    to the end. Clients go at once then, and what comes behind an answer has a moment."""
    gone = asyncio.ensure_future(until_left(receive))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done() and answered():
            await asyncio.wait({work}, timeout=BEHIND_SECONDS)
        if not work.done():
            raise Left
        return work.result()
    finally:
        for task in (work, gone):
            if not task.done():
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task
