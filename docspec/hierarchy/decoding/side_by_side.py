"""Decodes many crops, of one page or several, in batches whose size suits the KV memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from docspec.core import StageStats
from docspec.engine.loop import OnStep
from docspec.engine.request import Output, Request
from docspec.hierarchy.decoding.engine import Engine

K = TypeVar("K")

MAX_ROWS = 16
"""Most crops in one batch."""

MAX_SLOTS = 16384
"""Most slots of the KV cache for a batch of crops: about those of one long page."""


def decode_side_by_side(
    engine: Engine, pages: Sequence[Sequence[Request]], on_step: OnStep | None = None, alone: bool = False
) -> list[tuple[list[Output], StageStats]]:
    """For each page the outputs of its requests, in their order, and its counts.

    With ``alone``, or if doubtful choices are made again, each request is decoded in a batch of its own.
    """
    outputs: list[dict[int, Output]] = [{} for _ in pages]
    counts = [StageStats() for _ in pages]
    requests = [((page, index), one) for page, own in enumerate(pages) for index, one in enumerate(own)]
    alone = alone or any(request.least_margin for _, request in requests)
    for queue, max_rows in queues(requests, engine.slots_allowed, engine.spare_slots):
        by_page: dict[int, dict[int, Request]] = {}
        for (page, index), request in queue:
            by_page.setdefault(page, {})[index] = request
        found = engine.speculate_groups(
            [list(own.values()) for own in by_page.values()], on_step, 1 if alone else max_rows
        )
        for (page, asked), (written, stats) in zip(by_page.items(), found, strict=True):
            outputs[page].update(zip(asked, written, strict=True))
            counts[page] += stats
    return [([own[i] for i in range(len(own))], stats) for own, stats in zip(outputs, counts, strict=True)]


def queues(
    requests: Sequence[tuple[K, Request]], allowed: int | None = None, spare: int = 0
) -> Iterator[tuple[list[tuple[K, Request]], int]]:
    """Groups requests for one KV cache each, the longest first; with the number of rows of that cache.

    All rows of a cache are as long as its longest request plus ``spare`` slots. So long requests, of which fewer than
    ``MAX_ROWS`` fit into the limit (``allowed`` slots if that is less), do not share a cache with short ones.
    """
    most = MAX_SLOTS if allowed is None else min(MAX_SLOTS, allowed)
    waiting = sorted(requests, key=lambda item: -item[1].slots)
    while waiting:
        max_rows = max(1, min(len(waiting), MAX_ROWS, most // (waiting[0][1].slots + spare)))
        if max_rows in (len(waiting), MAX_ROWS):
            yield waiting, max_rows
            return
        queue = [item for item in waiting if (item[1].slots + spare) * MAX_ROWS > most]
        yield queue, min(max_rows, len(queue))
        waiting = waiting[len(queue) :]
