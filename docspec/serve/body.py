"""Reads the body of a request within limits of size and time, and watches for clients that disconnect."""

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
    """The client has disconnected; there is nobody to answer."""


def declared_size(scope: Scope, limits: Limits) -> int:
    """Bytes of the body: its ``Content-Length``, or the limit where the client gives none. Raises :class:`Refusal`
    (413)."""
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
    """Reads and drops the rest of a body, so that a client that is still sending can read its refusal."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while (message := await receive())["type"] == "http.request" and message.get("more_body"):
                pass


def too_large(limits: Limits) -> Refusal:
    return Refusal(413, f"the body is larger than {limits.body / 2**20:g} MiB")


async def until_left(receive: Receive) -> None:
    """Returns when the client disconnects; call it after the body was read."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return


async def unless_left(work: asyncio.Task[T], receive: Receive, answered: Callable[[], bool]) -> T:
    """The result of ``work``. If the client disconnects before the answer is complete (``answered``), ``work`` is
    cancelled and :class:`Left` is raised; work that is left after a complete answer gets :data:`BEHIND_SECONDS`."""
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
