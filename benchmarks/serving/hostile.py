"""A load beside hostile neighbours, on loopback: ``python -m benchmarks.serving.hostile --requests 5000``.

Well-behaved clients send chat completions to a gateway in front of a stand-in that takes a while for each. In every
other round hostile ones begin something each second: bodies that are announced and not sent, heads that are not ended,
streams that nobody reads, images of billions of pixels, bodies of a million values. Told are how fast the well-behaved
ones were in both kinds of rounds, whether each got its own answer, and what the gateway took.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import itertools
import json
import struct
import time
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pymupdf

from benchmarks.serving.load import CHAT, _settled, open_files, open_files_left
from benchmarks.serving.processes import Served, gateway, stand_in
from benchmarks.serving.standin import answer_of

GOOD, BAD = "well-behaved", "hostile"
"""The keys of both kinds of clients."""

HOLD = 0.1
"""Seconds that the stand-in takes for each answer."""

EACH_SECONDS = 1.0
"""Seconds between two hostile acts."""

Act = Callable[[str, int], Awaitable[str]]


async def _opened(host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(host, port)


def _head(size: str) -> bytes:
    return f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {BAD}\r\n{size}\r\n\r\n".encode()


async def slow_bodies(host: str, port: int) -> str:
    """Ten bodies of 64 MiB, of which a byte is sent each second."""
    ends = [await _opened(host, port) for _ in range(10)]
    try:
        for _, writer in ends:
            writer.write(_head("Content-Length: 67108864"))
        for _ in range(40):
            await asyncio.sleep(1)
            for _, writer in ends:
                writer.write(b"x")
        return "kept for 40 s"
    finally:
        for _, writer in ends:
            writer.close()


async def half_heads(host: str, port: int) -> str:
    """Fifty heads that are not ended."""
    ends = [await _opened(host, port) for _ in range(50)]
    try:
        for _, writer in ends:
            writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\nX-A: ")
        waits = (asyncio.wait_for(reader.read(), 40) for reader, _ in ends)
        left = await asyncio.gather(*waits, return_exceptions=True)
        return f"{sum(one == b'' or isinstance(one, OSError) for one in left)} of 50 closed"
    finally:
        for _, writer in ends:
            writer.close()


async def stalled_reader(host: str, port: int) -> str:
    """A stream that nobody reads."""
    _, writer = await _opened(host, port)
    try:
        body = json.dumps({"messages": [{"role": "user", "content": "x"}], "stream": True, "hold": 20}).encode()
        writer.write(_head(f"Content-Length: {len(body)}") + body)
        await asyncio.sleep(30)
        return "kept for 30 s"
    finally:
        writer.close()


async def _sent(host: str, port: int, body: bytes) -> str:
    reader, writer = await _opened(host, port)
    try:
        writer.write(_head(f"Content-Length: {len(body)}") + body)
        status = await asyncio.wait_for(reader.readline(), 60)
        return status.decode("latin-1").strip()[9:12] or "closed"
    finally:
        writer.close()


def _with_images(url: str, count: int) -> bytes:
    parts = [{"type": "image_url", "image_url": {"url": url}}] * count
    return json.dumps({"messages": [{"role": "user", "content": parts}]}).encode()


def _png(width: int, height: int) -> str:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    data = b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(4096))) + chunk(b"IEND", b"")
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"


BODIES = {
    "a bomb": _with_images(_png(100_000, 100_000), 1),
    "many images": _with_images(_png(16, 16), 10_000),
    "many values": b'{"messages":[' + b"{}," * 1_000_000 + b"{}]}",
    "a deep body": b'{"messages":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
}


def _chat(part: object) -> bytes:
    return json.dumps({"messages": [{"role": "user", "content": [part]}]}).encode()


BODIES |= {
    "an unknown part": _chat({"type": "image", "source": {"url": "http://127.0.0.1:1/x"}}),
    "a list as url": _chat({"type": "image_url", "image_url": {"url": ["http://127.0.0.1:1/x"]}}),
}

FETCHED = b'{"input":[{"image_url":"http://127.0.0.1:1"}]}'

REQUESTS = {
    "no http": b"NONSENSE \x00\r\n\r\n",
    "two ends": _head("Content-Length: 5\r\nTransfer-Encoding: chunked") + b"0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
    "a packed body": _head("Content-Encoding: gzip\r\nContent-Length: 20") + bytes(20),
    "an address that passes": (
        _head(f"Content-Length: {len(FETCHED)}").replace(CHAT.encode(), b"/v1/responses") + FETCHED
    ),
}
"""Whole requests, as they are sent."""


def _raw(request: bytes) -> Act:
    """The act of sending a whole ``request``."""

    async def act(host: str, port: int) -> str:
        reader, writer = await _opened(host, port)
        try:
            writer.write(request)
            status = await asyncio.wait_for(reader.readline(), 60)
            return status.decode("latin-1").strip()[9:12] or "closed"
        finally:
            writer.close()

    return act


def book(pages: int) -> bytes:
    with pymupdf.open() as made:
        for _ in range(pages):
            made.new_page().insert_text((60, 60), "words")
        data: bytes = made.tobytes()
    return data


async def jobs_left(host: str, port: int) -> str:
    """A document of many pages, which is begun and then given up."""
    headers = {"Authorization": f"Bearer {BAD}"}
    async with httpx.AsyncClient(base_url=f"http://{host}:{port}", headers=headers, timeout=60) as client:
        answer = await client.post("/v1/convert/file/async", content=book(200))
        if answer.status_code == 200:
            await asyncio.sleep(1)
            answer = await client.delete(f"/v1/status/poll/{answer.json()['task_id']}")
    return str(answer.status_code)


def _sending(body: bytes) -> Act:
    """The act of sending ``body``."""
    return lambda host, port: _sent(host, port, body)


ACTS: dict[str, Act] = {"slow bodies": slow_bodies, "half heads": half_heads, "a stalled reader": stalled_reader} | {
    name: _sending(body) for name, body in BODIES.items()
}
ACTS |= {name: _raw(request) for name, request in REQUESTS.items()}
ACTS["a job that is left"] = jobs_left


class Neighbours:
    """Begins a hostile act each second; ``came`` counts what came of them."""

    def __init__(self, url: str) -> None:
        self._host, _, port = url.removeprefix("http://").partition(":")
        self._port = int(port)
        self._acts = itertools.cycle(ACTS.items())
        self.came: Counter[str] = Counter()

    async def run(self) -> None:
        acts: set[asyncio.Task[None]] = set()
        try:
            while True:
                name, act = next(self._acts)
                task = asyncio.ensure_future(self._one(name, act))
                acts.add(task)
                task.add_done_callback(acts.discard)
                await asyncio.sleep(EACH_SECONDS)
        finally:
            for task in acts:
                task.cancel()
            await asyncio.gather(*acts, return_exceptions=True)

    async def _one(self, name: str, act: Act) -> None:
        came = "broken off"
        with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
            came = await act(self._host, self._port)
        self.came[f"{name}: {came}"] += 1


async def served_requests(served: Served, numbers: range, clients: int) -> tuple[float, list[str], int]:
    """Requests a second, the wrong answers, and the most memory of the gateway (bytes)."""
    wrong: list[str] = []
    left, most = iter(numbers), 0
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=clients)
    headers = {"Authorization": f"Bearer {GOOD}"}
    async with httpx.AsyncClient(base_url=served.url, timeout=60, limits=limits, headers=headers) as client:

        async def one() -> None:
            nonlocal most
            for number in left:
                values = {"messages": [{"role": "user", "content": f"request {number}"}], "hold": HOLD}
                answer = await client.post(CHAT, json=values)
                if answer.status_code != 200:
                    wrong.append(str(answer.status_code))
                elif answer.json()["choices"][0]["message"]["content"] != answer_of(values):
                    wrong.append("another's answer")
                if number % 50 == 0:
                    most = max(most, served.resident())

        began = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(clients)))
        return len(numbers) / (time.perf_counter() - began), wrong, most


async def _beside(served: Served, numbers: range, clients: int, neighbours: Neighbours) -> tuple[float, list[str], int]:
    hostile = asyncio.ensure_future(neighbours.run())
    try:
        return await served_requests(served, numbers, clients)
    finally:
        hostile.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await hostile


def measured(size: int, clients: int, rounds: int) -> dict[str, Any]:
    """What came of ``size`` requests in ``rounds`` of each kind."""
    part = size // (2 * rounds)
    speeds: dict[str, list[float]] = {"alone": [], "beside": []}
    wrong: list[str] = []
    most = 0
    with (
        stand_in() as one,
        gateway("--upstream", one.url, "--recognise", "never", "--api-key", GOOD, "--api-key", BAD) as served,
    ):
        neighbours = Neighbours(served.url)
        httpx.post(f"{served.url}/v1/parse", content=book(1), headers={"X-Api-Key": GOOD}, timeout=120)
        before = open_files(served)  # with the children that read documents
        asyncio.run(served_requests(served, range(min(part, 200)), clients))  # warms both up
        for number in range(rounds):
            for kind, first in (("alone", 2 * number * part), ("beside", (2 * number + 1) * part)):
                numbers = range(first, first + part)
                work = (
                    served_requests(served, numbers, clients)
                    if kind == "alone"
                    else _beside(served, numbers, clients, neighbours)
                )
                speed, faults, resident = asyncio.run(work)
                speeds[kind].append(speed)
                wrong += faults
                most = max(most, resident)
        here = _settled_of(served)
        one.stop()
        after = open_files_left(served, before)
    alone, beside = sorted(speeds["alone"])[rounds // 2], sorted(speeds["beside"])[rounds // 2]
    return {
        "requests": 2 * rounds * part,
        "requests a second alone and beside hostile neighbours (medians)": [round(alone, 1), round(beside, 1)],
        "share of the speed alone": round(beside / alone, 3),
        "wrong": dict(Counter(wrong)),
        "hostile": dict(sorted(neighbours.came.items())),
        "most resident MiB": most >> 20,
        "open files before and after": [before, after],
        "requests left in the gateway": here,
    }


def _settled_of(served: Served) -> int:
    class WithKey:
        def get(self, path: str) -> httpx.Response:
            return served.get(path, headers={"Authorization": f"Bearer {GOOD}"})

    return _settled(WithKey())  # type: ignore[arg-type]


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--requests", type=int, default=5_000)
    words.add_argument("--clients", type=int, default=16)
    words.add_argument("--rounds", type=int, default=3)
    given = words.parse_args()
    print(json.dumps(measured(given.requests, given.clients, given.rounds), indent=1))


if __name__ == "__main__":
    main()
