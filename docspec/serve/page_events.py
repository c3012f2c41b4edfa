"""The pages of a document as server-sent events, each as soon as it is finished."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor
from typing import Any

from docspec.core import DocspecError, PageResult
from docspec.core.safe_text import one_line
from docspec.serve.converter import markdown_of
from docspec.serve.turns import Stopped

PageEvent = tuple[str, dict[str, Any]]
ALIVE: PageEvent = ("waiting", {})

LOG = logging.getLogger("docspec.serve")
ALIVE_SECONDS = 15.0
"""Seconds without a page after which a stream of pages says that it is alive."""


async def page_events(
    pages: Callable[[Callable[[], bool]], Iterator[PageResult]],
    executor: Executor,
    stopped: asyncio.Event,
    seconds: float,
) -> AsyncIterator[str]:
    """The results of ``pages``, which are read in ``executor`` (they are given whether somebody still wants them), and
    what ended them. The stream ends if no page comes
    within ``seconds``, or when ``stopped`` is set."""
    loop, events = asyncio.get_running_loop(), asyncio.Queue[PageEvent | None]()
    left = False

    def tell(kind: str, values: dict[str, Any]) -> None:
        loop.call_soon_threadsafe(events.put_nowait, (kind, values))

    def read() -> None:
        count = 0
        try:
            with contextlib.closing(pages(lambda: not (left or stopped.is_set()))) as results:  # type: ignore[type-var]
                for result in results:
                    if left or stopped.is_set():
                        return
                    count += 1
                    values = {"page": result.number, "status": result.status, "markdown": markdown_of(result)}
                    tell("page", values if result.error is None else {**values, "error": result.error})
            tell("done", {"pages": count})
        except Stopped:
            return
        except Exception as error:
            tell("error", {"message": message_of(error)})
        finally:
            loop.call_soon_threadsafe(events.put_nowait, None)

    loop.run_in_executor(executor, read)
    try:
        silent = 0.0
        while not stopped.is_set():
            event = await _next_event(events, stopped)
            if event is None:
                break
            silent = silent + ALIVE_SECONDS if event == ALIVE else 0.0
            if silent > seconds:
                yield _spelled(("error", {"message": f"no page within {seconds:g} s"}))
                break
            yield f": {ALIVE[0]}\n\n" if event == ALIVE else _spelled(event)
        else:
            yield _spelled(("error", {"message": "the gateway is stopped"}))
    finally:
        left = True


async def _next_event(events: asyncio.Queue[PageEvent | None], stopped: asyncio.Event) -> PageEvent | None:
    """The next of ``events``; :data:`ALIVE` if none comes for a while, or the gateway is ``stopped``."""
    coming, stopping = asyncio.ensure_future(events.get()), asyncio.ensure_future(stopped.wait())
    try:
        done, _ = await asyncio.wait({coming, stopping}, timeout=ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        return coming.result() if coming in done else ALIVE
    finally:
        coming.cancel()
        stopping.cancel()


def _spelled(event: PageEvent) -> str:
    """A server-sent event."""
    return f"event: {event[0]}\ndata: {json.dumps(event[1], ensure_ascii=False)}\n\n"


def message_of(error: Exception) -> str:
    """The message for a client; an unexpected error is logged by its type alone, since its text may be a client's."""
    if isinstance(error, DocspecError):
        return one_line(str(error))
    LOG.error("unexpected %s while a document was read", type(error).__name__)
    return "unexpected error"
