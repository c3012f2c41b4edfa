"""Large documents, many at a time: ``python -m benchmarks.serving.uploads --uploads 40 --mib 60``.

All are sent to ``/v1/convert/file/async`` of one gateway at once, while ``/health`` is asked again and again. Told are
the answers, the most memory of the gateway process, the most that its store took on the disk, and how long it was
silent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pymupdf

from benchmarks.serving.processes import Served, gateway

PIECE = 2**18
EACH_SECONDS = 0.1
"""Seconds between two looks at memory, disk and ``/health``."""


def document(mib: int) -> bytes:
    """A PDF of one page, made as large as wanted by a comment behind it."""
    with pymupdf.open() as made:
        made.new_page().insert_text((72, 72), "Some words")
        data: bytes = made.tobytes()
    return data + b"\n%" + bytes(mib * 2**20 - len(data) - 2)


async def _pieces(data: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(data), PIECE):
        yield data[start : start + PIECE]


async def _one(client: httpx.AsyncClient, data: bytes) -> str:
    head = {"Content-Length": str(len(data)), "Content-Type": "application/pdf"}
    try:
        answer = await client.post("/v1/convert/file/async", content=_pieces(data), headers=head)
    except httpx.HTTPError as error:
        return type(error).__name__
    return str(answer.status_code)


async def sent(served: Served, state: Path, uploads: int, mib: int) -> dict[str, Any]:
    """What came of ``uploads`` documents of ``mib`` each."""
    data, began = document(mib), time.perf_counter()
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=served.url, timeout=600, limits=limits) as client:
        work = asyncio.gather(*(_one(client, data) for _ in range(uploads)))
        memory = disk = 0
        silent = 0.0
        while not work.done():
            asked = time.perf_counter()
            await client.get("/health")
            silent = max(silent, time.perf_counter() - asked)
            memory = max(memory, served.resident())
            disk = max(disk, sum(path.stat().st_size for path in state.rglob("*") if path.is_file()))
            await asyncio.sleep(EACH_SECONDS)
        statuses = Counter(await work)
    return {
        "answers": dict(statuses),
        "seconds": round(time.perf_counter() - began, 1),
        "most resident MiB": memory >> 20,
        "most on the disk MiB": disk >> 20,
        "longest silence of /health": round(silent, 1),
    }


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--uploads", type=int, default=40)
    words.add_argument("--mib", type=int, default=60)
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder, "jobs")
        with gateway("--upstream", "http://127.0.0.1:9", "--recognise", "never", "--state", str(state)) as served:
            print(json.dumps(asyncio.run(sent(served, state, given.uploads, given.mib)), indent=1))


if __name__ == "__main__":
    main()
