"""One page beside long documents: ``python -m benchmarks.serving.fairness --jobs 4 --pages 300 --asked 40``.

One client's single page is converted again and again, first alone, then while another client's ``--jobs`` documents of
``--pages`` pages are read by the same gateway. Told are the median and the 95th percentile of both, their ratio, and
what the status of the long jobs says meanwhile: their places in the queue and their pages.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import httpx
import pymupdf

from benchmarks.serving.processes import gateway

LONG, SHORT = "key-of-long", "key-of-short"
WORDS = "some words of the page, as a letter has them, "

WARM = 24
"""Pages of the long jobs that are read before it is measured: their children load the layout model first."""

Steps = list[list[dict[str, Any]]]
"""The statuses of the long jobs, one list for each time that they were asked for."""


def document(pages: int) -> bytes:
    """A born-digital PDF with a few hundred words on each page."""
    with pymupdf.open() as made:
        for number in range(pages):
            made.new_page().insert_textbox((60, 60, 540, 780), f"Page {number + 1}\n\n" + WORDS * 30)
        data: bytes = made.tobytes()
    return data


def seconds_of(client: httpx.Client, data: bytes) -> float:
    """How long one document takes. Raises if it is not read."""
    began = time.perf_counter()
    answer = client.post("/v1/convert/file", content=data, headers={"X-Api-Key": SHORT})
    answer.raise_for_status()
    if answer.json()["status"] != "success":
        raise RuntimeError(str(answer.json()["errors"]))
    return time.perf_counter() - began


def percentile(values: Sequence[float], share: float) -> float:
    """The least of ``values`` that so large a ``share`` of them does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def measured(jobs: int, pages: int, asked: int, words: Sequence[str] = ()) -> dict[str, Any]:
    """The seconds of one page alone and beside ``jobs`` of ``pages`` pages each."""
    page, book = document(1), document(pages)
    keys = [word for key in (LONG, SHORT) for word in ("--api-key", key)]
    statuses: Steps = []
    with (
        gateway("--upstream", "http://127.0.0.1:9", *keys, *words) as served,
        httpx.Client(base_url=served.url, timeout=600) as client,
    ):

        def long_jobs() -> list[dict[str, Any]]:
            answers = (client.get(f"/v1/status/poll/{name}", headers={"X-Api-Key": LONG}) for name in names)
            return [answer.json() for answer in answers]

        seconds_of(client, page)  # the first one waits for children to start
        alone = [seconds_of(client, page) for _ in range(asked)]
        head = {"X-Api-Key": LONG}
        posted = (client.post("/v1/convert/file/async", content=book, headers=head) for _ in range(jobs))
        names = [answer.json()["task_id"] for answer in posted]
        while sum(one["pages"] for one in long_jobs()) < WARM:
            time.sleep(0.5)
        beside = []
        for _ in range(asked):
            beside.append(seconds_of(client, page))
            statuses.append(long_jobs())
        ended = sum(one["task_status"] not in ("pending", "started") for one in statuses[-1])
        for name in names:
            client.delete(f"/v1/status/poll/{name}", headers=head)
    done = [sum(one["pages"] for one in step) for step in statuses]
    return {
        "seconds of one page alone": _summary(alone),
        f"beside {jobs} jobs of {pages} pages": _summary(beside),
        "p95 beside / alone": round(percentile(beside, 0.95) / percentile(alone, 0.95), 2),
        "pages of the long jobs meanwhile": done[-1],
        "pages in their status only grow": all(one <= other for one, other in pairwise(done)),
        "places in the queue, at first": [one["task_position"] for one in statuses[0]],
        "long jobs that had ended": ended,
    }


def _summary(values: Sequence[float]) -> dict[str, float]:
    return {"median": round(percentile(values, 0.5), 3), "p95": round(percentile(values, 0.95), 3)}


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--jobs", type=int, default=4)
    words.add_argument("--pages", type=int, default=300)
    words.add_argument("--asked", type=int, default=40)
    given = words.parse_args()
    print(json.dumps(measured(given.jobs, given.pages, given.asked), indent=1))


if __name__ == "__main__":
    main()
