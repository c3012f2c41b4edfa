"""A bounded load on loopback: ``python -m benchmarks.serving.load --requests 10000``.

Clients send chat completions, whole and streaming, with and without images and predictions, to a gateway in front of
two stand-ins. One in a hundred is malformed, one in a hundred leaves early; when two fifths have been sent one upstream
is killed, and started again at three fifths. Every answer is compared with what its own request is answered with.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

from benchmarks.serving.images import data_url
from benchmarks.serving.processes import Served, gateway, stand_in
from benchmarks.serving.standin import answer_of

CHAT = "/v1/chat/completions"


class Load:
    """``size`` requests by ``clients`` at a time; the same ones each time."""

    def __init__(self, size: int, clients: int) -> None:
        self.size = size
        self.clients = clients
        self.statuses: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.sent = 0
        self.resident: list[int] = []
        self._images = [_image(number) for number in range(8)]

    async def run(self, served: Served, events: dict[int, Any]) -> None:
        """Sends all; ``events`` are called when so many have been sent."""
        numbers = iter(range(self.size))
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=self.clients)
        async with httpx.AsyncClient(base_url=served.url, timeout=60, limits=limits) as client:

            async def one_client() -> None:
                for number in numbers:
                    if (event := events.pop(number, None)) is not None:
                        await asyncio.get_running_loop().run_in_executor(None, event)
                    await self._one(client, number)
                    self.sent += 1
                    if self.sent % max(1, self.size // 20) == 0:
                        self.resident.append(served.resident())

            await asyncio.gather(*(one_client() for _ in range(self.clients)))

    async def _one(self, client: httpx.AsyncClient, number: int) -> None:
        if number % 100 == 7:
            answer = await client.post(CHAT, content=b'{"messages": [' + b"x" * (number % 5000))
            self._note("malformed", str(answer.status_code), answer.status_code == 400)
        elif number % 100 == 13:
            values = {**self._values(number), "hold": 5}
            try:
                await client.post(CHAT, json=values, timeout=httpx.Timeout(60, read=0.2))
                self._note("aborted", "answered", False)
            except httpx.ReadTimeout:
                self._note("aborted", "left", True)
        else:
            await self._answered(client, self._values(number))

    async def _answered(self, client: httpx.AsyncClient, values: dict[str, Any]) -> None:
        try:
            answer = await client.post(CHAT, json=values)
        except httpx.RemoteProtocolError:  # a stream whose upstream was killed: it broke off, and says so
            self._note("streamed", "broke off", bool(values.get("stream")))
            return
        if not values.get("stream"):
            right = answer.status_code == 200 and answer.json()["choices"][0]["message"]["content"] == answer_of(values)
            self._note("whole", str(answer.status_code), right)
            return
        lines = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
        text = "".join(line["choices"][0]["delta"].get("content", "") for line in lines)
        self._note("streamed", str(answer.status_code), text == answer_of(values))

    def _values(self, number: int) -> dict[str, Any]:
        content: Any = f"request {number}"
        if number % 10 == 0:
            image = {"type": "image_url", "image_url": {"url": self._images[number // 10 % 8]}}
            content = [image, {"type": "text", "text": content}]
        values: dict[str, Any] = {"messages": [{"role": "user", "content": content}]}
        if number % 3 == 0:
            values["prediction"] = {"type": "content", "content": f"draft of {number}"}
        if number % 5 == 0:
            values["stream"] = True
        return values

    def _note(self, kind: str, status: str, right: bool) -> None:
        self.statuses[f"{kind}: {status}"] += 1
        if not right:
            self.wrong.append(f"{kind}: {status}")


def measured(size: int, clients: int) -> dict[str, Any]:
    """What came of a load: counts, what was wrong, memory and connections of the gateway, and who answered twice."""
    load = Load(size, clients)
    with stand_in("a") as one, stand_in("b") as two:
        port = int(one.url.rpartition(":")[2])
        again: list[Any] = []
        with gateway("--upstream", one.url, "--upstream", two.url, "--recognise", "never") as served:

            def start_again() -> None:
                again.append(stand_in("a", port))
                again.append(again[0].__enter__())

            try:
                before = open_files(served)
                began = time.perf_counter()
                asyncio.run(load.run(served, {2 * size // 5: one.stop, 3 * size // 5: start_again}))
                seconds = time.perf_counter() - began
                here = _settled(served)
                answered = Counter([*two.get("/answered").json(), *again[1].get("/answered").json()])
                counts = _counts(served.get("/metrics").text)
                again[1].stop()
                two.stop()
                after = open_files_left(served, before)
            finally:
                if again:
                    again[0].__exit__(None, None, None)
    fifth = load.resident[len(load.resident) // 5]
    return {
        "requests": size,
        "seconds": round(seconds, 1),
        "statuses": dict(sorted(load.statuses.items())),
        "wrong": load.wrong,
        "answered twice": sum(1 for count in answered.values() if count > 1),
        "requests left in the gateway": here,
        "resident MiB after a fifth and at the end": [fifth >> 20, load.resident[-1] >> 20],
        "open files before and after": [before, after],
        "own milliseconds a request": round(1e3 * counts["docspec_own_seconds_total"] / counts["answered"], 3),
    }


def _settled(served: Served) -> int:
    """Requests that are still in the gateway when nobody waits any more."""
    here = -1
    for _ in range(100):
        here = int(_counts(served.get("/metrics").text)["docspec_requests_here"])
        if here == 0:
            break
        time.sleep(0.1)
    return here


def _counts(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            found[name] = float(value)
    found["answered"] = found.get('docspec_requests_total{route="/v1/chat/completions",status="200"}', 1.0)
    return found


def open_files(served: Served) -> int:
    """Open files of the gateway; it has answered by then, so that what it opens once is among them."""
    served.get("/health")
    return len(list(Path(f"/proc/{served.process.pid}/fd").iterdir())) if Path("/proc").is_dir() else 0


def open_files_left(served: Served, before: int) -> int:
    """Open files when clients and upstreams have gone, and with them the connections that were kept for the next
    request: what is left over ``before`` after some seconds is left for good."""
    for _ in range(100):
        if (after := open_files(served)) <= before:
            break
        time.sleep(0.05)
    return after


def _image(number: int) -> str:
    """A picture that hardly compresses, of a few hundred kilobytes."""
    from PIL import Image

    pixels = random.Random(number).randbytes(3 * 200 * 160)
    return data_url(Image.frombytes("RGB", (200, 160), pixels))


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--requests", type=int, default=10_000)
    words.add_argument("--clients", type=int, default=64)
    given = words.parse_args()
    found = measured(given.requests, given.clients)
    found["wrong"] = Counter(found["wrong"])
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
