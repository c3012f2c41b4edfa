"""docspec's own engine under clients who come when they like, beside another commit of it.

``python -m benchmarks.serving.arrivals --beside TREE``: sixteen clients send crops of sample pages with pauses of
random length, half of them with the words of the text layer as ``prediction``. ``TREE`` is a checkout of the commit to
compare with. Both servers take turns, the one that is not asked is stopped.
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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.serving.processes import ROOT, Served, begin, gateway
from benchmarks.serving.speed import CHAT, crops


@contextlib.contextmanager
def engine_of(tree: Path) -> Iterator[Served]:
    """``docspec serve`` with the bundled reader, by the code in ``tree``."""

    def in_tree(command: Sequence[str], **keywords: Any) -> subprocess.Popen[str]:
        environment = {**keywords.pop("env"), "PYTHONPATH": str(tree)}
        return begin(command, **{**keywords, "cwd": tree, "env": environment})

    with gateway("--model", "mini", "--recognise", "never", begin=in_tree) as served:
        yield served


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


def measured(trees: dict[str, Path], bodies: Sequence[dict[str, Any]], clients: int, pause: float, rounds: int) -> Any:
    """For each of ``trees`` the median, the 95th percentile and the requests a second of every round."""
    made: dict[str, list[dict[str, Any]]] = {name: [] for name in trees}
    with contextlib.ExitStack() as stack:
        servers = {name: stack.enter_context(engine_of(tree)) for name, tree in trees.items()}
        for number in range(rounds + 1):  # the first is not counted
            for name, server in servers.items():
                for other in servers.values():
                    for process in psutil.Process(other.process.pid).children(recursive=True):
                        (process.resume if other is server else process.suspend)()
                found = asyncio.run(round_of(server.url, bodies, clients, pause))
                made[name] += [found] if number else []
        for server in servers.values():
            for process in psutil.Process(server.process.pid).children(recursive=True):
                process.resume()
    first = next(iter(made.values()))[0]["texts"]
    return {
        name: {
            "p50 seconds": [round(statistics.median(found["seconds"]), 3) for found in runs],
            "p95 seconds": [round(statistics.quantiles(found["seconds"], n=20)[-1], 3) for found in runs],
            "requests a second": [round(len(bodies) / found["all"], 2) for found in runs],
            "equal answers": [sum(map(str.__eq__, found["texts"], first)) for found in runs],
        }
        for name, runs in made.items()
    }


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--beside", type=Path, required=True, metavar="TREE")
    words.add_argument("--requests", type=int, default=200)
    words.add_argument("--clients", type=int, default=16)
    words.add_argument("--pause", type=float, default=0.5, help="Mean seconds between a client's requests.")
    words.add_argument("--rounds", type=int, default=3)
    given = words.parse_args()
    asked = crops(given.requests)
    bodies = [
        {**crop.values, "prediction": {"type": "content", "content": crop.words}} if number % 2 else crop.values
        for number, crop in enumerate(asked)
    ]
    trees = {"here": ROOT, "beside": given.beside.resolve()}
    print(json.dumps(measured(trees, bodies, given.clients, given.pause, given.rounds), indent=1))


if __name__ == "__main__":
    main()
