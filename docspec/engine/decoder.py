"""A target with its decoding settings: requests in, outputs and counts out, over one bounded KV memory.

Stage 1, Stage 2 and the baseline differ only in their requests. The caller waits for them all here;
:mod:`docspec.engine.continuous` takes requests at any time, from any thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from docspec.core import ParseOptions, StageStats
from docspec.engine.acceptance import make_rule
from docspec.engine.autoregressive import decode_autoregressively
from docspec.engine.limits import Pace
from docspec.engine.loop import OnStep
from docspec.engine.measuring import MeasuredDecode, shares, stats_of
from docspec.engine.proposer import TreeProposer
from docspec.engine.request import Output, Request
from docspec.engine.scheduler import Scheduler

if TYPE_CHECKING:
    from docspec.targets.protocol import SlotCache, TargetModel

K = TypeVar("K")

MAX_ROWS = 16
"""Most crops in one batch."""

MAX_SLOTS = 16384
"""Most slots of the KV cache for a batch of crops: about those of one long page."""


class Decoder:
    """A target with its decoding settings, a factory of proposers, and the limit of its KV memory.

    ``pace`` decides for a request that is decoded alone whether trees pay.
    """

    def __init__(
        self, target: TargetModel, options: ParseOptions, proposer: Callable[[], TreeProposer], pace: Pace | None = None
    ) -> None:
        self.target = target
        self._options = options
        self._rule = make_rule(options.tau)
        self._proposer = proposer
        self._pace = pace
        self._margins = True  # half precision needs them most, and there they cost least

    def speculate(
        self, requests: Sequence[Request], on_step: OnStep | None = None, max_rows: int | None = None
    ) -> tuple[list[Output], StageStats]:
        """Decodes ``requests`` with their drafts in one batch of ``max_rows`` rows (default: all at once).

        If there are fewer rows than requests, the other requests wait in the given order and enter as rows end.
        """
        [found] = self.speculate_groups([requests], on_step, max_rows)
        return found

    def speculate_groups(
        self, groups: Sequence[Sequence[Request]], on_step: OnStep | None = None, max_rows: int | None = None
    ) -> list[tuple[list[Output], StageStats]]:
        """:meth:`speculate` for the requests of several pages in one batch: the outputs and counts of each page.

        Each page is charged with its share of the common seconds and forward passes, in proportion to its steps.
        """
        start = time.perf_counter()
        requests = [request for group in groups for request in group]
        loop = self.batch(requests, max_rows or len(requests))
        self.decode(loop, on_step)
        entered = loop.scheduler.rows
        seconds = time.perf_counter() - start - sum(row.counts.prefill_seconds for row in entered)
        rows = iter(entered)
        own = [list(islice(rows, len(group))) for group in groups]
        steps = [sum(row.counts.steps for row in part) for part in own]
        return [
            (
                [row.result for row in part],
                stats_of(
                    part,
                    forwards,
                    seconds,
                    self.target.kv.nbytes,
                    loop.proposer.seconds,
                    step / sum(steps) if sum(steps) else 1 / len(groups),
                ),
            )
            for part, forwards, step in zip(own, shares(loop.forwards, steps), steps, strict=True)
        ]

    def batch(self, requests: Sequence[Request], max_rows: int) -> MeasuredDecode:
        """A loop for :meth:`decode` over ``requests`` with up to ``max_rows`` rows."""
        pace = self._pace if len(requests) == 1 else None
        return self._loop(requests, self.cache(max_rows, max(request.slots for request in requests)), pace)

    def open_batch(self, max_rows: int, slots: int) -> MeasuredDecode:
        """A loop of at least ``max_rows`` rows without requests, to which those of up to ``slots`` slots are added."""
        return self._loop((), self.cache(max_rows, slots), None)

    def _loop(self, requests: Sequence[Request], cache: SlotCache, pace: Pace | None) -> MeasuredDecode:
        proposer = self._proposer()
        scheduler = Scheduler(self.target, cache, requests, proposer, self._margins)
        return MeasuredDecode(self.target, scheduler, proposer, self._rule, self._options.max_tree, pace, self._margins)

    def decode(self, loop: MeasuredDecode, on_step: OnStep | None = None) -> None:
        """Runs ``loop`` to its end."""
        with self.target.decoding():
            loop.run(on_step)

    def baseline(self, request: Request) -> tuple[Output, StageStats]:
        """Decodes ``request`` one token per step, without its drafts."""
        loop = self.batch([replace(request, plain=True)], 1)
        loop.admit()
        [row] = loop.scheduler.rows
        start = time.perf_counter()
        with self.target.decoding():
            row.counts.steps = decode_autoregressively(self.target, loop.cache, row, self._margins)
        seconds = time.perf_counter() - start
        return row.result, stats_of([row], row.counts.steps, seconds, self.target.kv.nbytes)

    def cache(self, max_rows: int, slots: int) -> SlotCache:
        """A KV cache of at least ``max_rows`` rows for requests of up to ``slots`` slots, trees not counted. It has the
        shape that the step runner prefers if the memory limit allows that."""
        slots += self.spare_slots - 1
        roomy = self.target.steps.geometry(max_rows, slots)
        if self.slots_allowed is None or roomy[0] * (roomy[1] + 1) <= self.slots_allowed:
            max_rows, slots = roomy
        return self.target.kv.cache(max_rows, slots, self._options.kv_limit)

    def max_rows(self, requests: Sequence[Request]) -> int:
        """How many of ``requests`` fit into one batch under the limit of the KV memory, at least one."""
        slots = max(request.slots for request in requests) + self.spare_slots
        most = len(requests) if self.slots_allowed is None else self.slots_allowed // slots
        return max(1, min(len(requests), most))

    def drafts_changed(self) -> None:
        """Call this when drafts have arrived: whether trees pay is measured anew."""
        if self._pace is not None:
            self._pace.drafts_changed()

    def release(self) -> None:
        """Frees the KV memory after a failure; the next call allocates it again."""
        self.target.kv.release()

    @property
    def spare_slots(self) -> int:
        """Slots of a row beyond its tokens: for a tree, the pending token and padding."""
        return self._options.max_tree + 2

    @property
    def slots_allowed(self) -> int | None:
        """The most slots of all rows of a batch together under ``--kv-memory``; ``None`` without a limit."""
        limit = self._options.kv_limit
        return None if limit is None else limit // self.target.kv_spec.bytes_per_slot()


def decode_side_by_side(
    engine: Decoder, pages: Sequence[Sequence[Request]], on_step: OnStep | None = None, alone: bool = False
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
