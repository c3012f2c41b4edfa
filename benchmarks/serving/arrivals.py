"""docspec's own engine under clients who come when they like, beside another commit of it and beside vLLM.

``python -m benchmarks.serving.arrivals [--beside TREE] [--vllm-python PYTHON]``: sixteen clients send crops of sample
pages with pauses of random length, half of them with the words of the text layer as ``prediction``. ``TREE`` is a
checkout of the commit to compare with; vLLM is asked as it is, and with docspec's proposer and the same words as drafts
of its requests. All servers take turns, those that are not asked are stopped.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil

from benchmarks.serving.processes import ROOT, begin, gateway
from benchmarks.serving.speed import CHAT, XARGS, Crop, crops, vllm
from docspec.vllm.request import DRAFTS

Bodies = Sequence[dict[str, Any]]


class Way(NamedTuple):
    """A server at ``url``, whose work is done by the children of process ``pid``, and what it is asked."""

    url: str
    pid: int
    bodies: Bodies

    def workers(self) -> list[psutil.Process]:
        return psutil.Process(self.pid).children(recursive=True)


@contextlib.contextmanager
def engine_of(tree: Path, bodies: Bodies) -> Iterator[Way]:
    """``docspec serve`` with the bundled reader, by the code in ``tree``."""

    def in_tree(command: Sequence[str], **keywords: Any) -> subprocess.Popen[str]:
        environment = {**keywords.pop("env"), "PYTHONPATH": str(tree)}
        return begin(command, **{**keywords, "cwd": tree, "env": environment})

    with gateway("--model", "mini", "--recognise", "never", begin=in_tree) as served:
        yield Way(served.url, served.process.pid, bodies)


@contextlib.contextmanager
def vllm_of(python: str, speculates: bool, bodies: Bodies) -> Iterator[Way]:
    with vllm(python, speculates) as server:
        yield Way(server.url, server.pid, bodies)


async def round_of(url: str, bodies: Sequence[dict[str, Any]], clients: int, pause: float) -> dict[str, Any]:
    """Seconds of each request and of all, and the answers; ``pause`` is the mean of the pauses in seconds."""
    texts, seconds = [""] * len(bodies), [0.0] * len(bodies)
    chance = random.Random(7)
    pauses = [chance.expovariate(1 / pause) for _ in bodies]
    numbers = iter(range(len(bodies)))
    async with httpx.AsyncClient(base_url=url, timeout=600) as client:

        async def one() -> None:
            for number in numbers:
                await asyncio.sleep(pauses[number])
                began = time.perf_counter()
                answer = await client.post(CHAT, json=bodies[number])
                seconds[number] = time.perf_counter() - began
                texts[number] = answer.raise_for_status().json()["choices"][0]["message"]["content"]

        began = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(clients)))
        return {"texts": texts, "seconds": seconds, "all": time.perf_counter() - began}


def measured(ways: dict[str, AbstractContextManager[Way]], clients: int, pause: float, rounds: int) -> Any:
    """For each of ``ways`` the median, the 95th percentile and the requests a second of every round."""
    made: dict[str, list[dict[str, Any]]] = {name: [] for name in ways}
    with contextlib.ExitStack() as stack:
        servers = {name: stack.enter_context(way) for name, way in ways.items()}
        for number in range(rounds + 1):  # the first is not counted
            for name, server in servers.items():
                for other in servers.values():
                    for process in other.workers():
                        (process.resume if other is server else process.suspend)()
                answers = asyncio.run(round_of(server.url, server.bodies, clients, pause))
                made[name] += [answers] if number else []
        for server in servers.values():
            for process in server.workers():
                process.resume()
    first = next(iter(made.values()))[0]["texts"]
    return {
        name: {
            "p50 seconds": [round(statistics.median(found["seconds"]), 3) for found in runs],
            "p95 seconds": [round(statistics.quantiles(run["seconds"], n=20)[-1], 3) for run in runs],
            "requests a second": [round(len(first) / run["all"], 2) for run in runs],
            "equal answers": [sum(map(str.__eq__, run["texts"], first)) for run in runs],
        }
        for name, runs in made.items()
    }


def drafted(asked: Sequence[Crop], body: Callable[[Crop], dict[str, Any]]) -> Bodies:
    """Every second request with the words of its text layer, as ``body`` has them."""
    return [body(crop) if number % 2 else crop.values for number, crop in enumerate(asked)]


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--beside", type=Path, metavar="TREE")
    words.add_argument("--vllm-python", metavar="PYTHON")
    words.add_argument("--requests", type=int, default=200)
    words.add_argument("--clients", type=int, default=16)
    words.add_argument("--pause", type=float, default=0.5, help="Mean seconds between a client's requests.")
    words.add_argument("--rounds", type=int, default=3)
    given = words.parse_args()
    asked = crops(given.requests)
    predicted = drafted(asked, lambda crop: {**crop.values, "prediction": {"type": "content", "content": crop.words}})
    ways = {"here": engine_of(ROOT, predicted)}
    if given.beside:
        ways["beside"] = engine_of(given.beside.resolve(), predicted)
    if given.vllm_python:
        direct = drafted(asked, lambda crop: {**crop.values, XARGS: {DRAFTS: [crop.words]}})
        ways["vLLM"] = vllm_of(given.vllm_python, False, [crop.values for crop in asked])
        ways["vLLM with docspec's proposer"] = vllm_of(given.vllm_python, True, direct)
    print(json.dumps(measured(ways, given.clients, given.pause, given.rounds), indent=1))


if __name__ == "__main__":
    main()
