"""Pages as server-sent events: each is sent when it is read, and a stream that stands still says so and ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from docspec.core import PageError, PageResult
from docspec.serve import page_events as room
from docspec.serve.page_events import page_events

PATIENCE = 30


def page(number: int) -> PageResult:
    return PageResult("a.pdf", number, "ok", text=f"page {number}")


def test_a_page_is_sent_before_the_next_one_is_read() -> None:
    go_on = threading.Event()

    def pages(wanted: object) -> Iterator[PageResult]:
        yield page(1)
        assert go_on.wait(PATIENCE)
        yield page(2)
        raise PageError("the third is lost")

    async def told() -> list[str]:
        kinds = []
        with ThreadPoolExecutor(1) as executor:
            async for event in page_events(pages, executor, asyncio.Event(), PATIENCE):
                kinds.append(event.splitlines()[0])
                go_on.set()
        return kinds

    assert asyncio.run(asyncio.wait_for(told(), PATIENCE)) == ["event: page", "event: page", "event: error"]


@pytest.mark.parametrize("stops", [False, True])
def test_a_stream_without_pages_is_alive_for_a_while_and_ends(monkeypatch: pytest.MonkeyPatch, stops: bool) -> None:
    monkeypatch.setattr(room, "ALIVE_SECONDS", 0.05)
    ended = threading.Event()

    def pages(wanted: object) -> Iterator[PageResult]:
        ended.wait(PATIENCE)
        yield page(1)

    async def told() -> list[str]:
        stopped, events = asyncio.Event(), []
        with ThreadPoolExecutor(1) as executor:
            async for event in page_events(pages, executor, stopped, PATIENCE if stops else 0.12):
                events.append(event)
                if stops:
                    stopped.set()
            ended.set()
        return events

    *alive, last = asyncio.run(asyncio.wait_for(told(), PATIENCE))
    assert alive and set(alive) == {": waiting\n\n"}
    assert last.startswith("event: error") and ("the gateway is stopped" if stops else "no page within 0.12 s") in last
