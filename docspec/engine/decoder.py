"""A target with its decoding settings: requests in, outputs and counts out, over one bounded KV memory.

Stage 1, Stage 2 and the baseline differ only in their requests. The caller waits for them all here;
:mod:`docspec.engine.continuous` takes requests at any time, from any thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from docspec.core import ParseOptions, StageStats
from docspec.engine.acceptance import make_rule
from docspec.engine.loop import OnStep
from docspec.engine.measuring import MeasuredDecode, stats_of
from docspec.engine.proposer import TreeProposer
from docspec.engine.request import Output, Request
from docspec.engine.row import Row
from docspec.engine.scheduler import Scheduler, TreePace
from docspec.targets.protocol import PendingToken

if TYPE_CHECKING:
    from docspec.targets.protocol import SlotCache, TargetModel

FRUGAL_TREE = 8
"""Tokens of a tree when memory is short."""


class Decoder:
    """A target with its decoding settings, a factory of proposers, and the limit of its KV memory.

    ``pace`` decides for a row that is alone in its step whether trees pay. ``frugally`` makes a context in which steps
    take the least memory.
    """

    def __init__(
        self,
        target: TargetModel,
        options: ParseOptions,
        proposer: Callable[[], TreeProposer],
        pace: TreePace | None = None,
        frugally: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.target = target
        self._options = options
        self._rule = make_rule(options.tau)
        self._proposer = proposer
        self._pace = pace
        self._frugally = frugally
        self._margins = True  # half precision needs them most, and there they cost least

    def speculate(
        self, requests: Sequence[Request], on_step: OnStep | None = None, max_rows: int | None = None
    ) -> tuple[list[Output], StageStats]:
        """Decodes ``requests`` with their drafts in one batch of ``max_rows`` rows (default: all at once).

        If there are fewer rows than requests, the other requests wait in the given order and enter as rows end.
        """
        loop = self.batch(requests, max_rows or len(requests))
        self.decode(loop, on_step)
        rows = loop.scheduler.rows
        return [row.result for row in rows], stats_of(rows, self.target.kv.nbytes)

    def batch(self, requests: Sequence[Request], max_rows: int) -> MeasuredDecode:
        """A loop for :meth:`decode` over ``requests`` with up to ``max_rows`` rows."""
        return self._loop(requests, self.cache(max_rows, max(request.slots for request in requests)))

    def open_batch(self, max_rows: int, slots: int) -> MeasuredDecode:
        """A loop of at least ``max_rows`` rows without requests, to which those of up to ``slots`` slots are added."""
        return self._loop((), self.cache(max_rows, slots))

    def _loop(self, requests: Sequence[Request], cache: SlotCache) -> MeasuredDecode:
        proposer, most, margins = self._proposer(), self._options.max_tree, self._margins
        scheduler = Scheduler(self.target, cache, requests, proposer, margins)
        return MeasuredDecode(self.target, scheduler, proposer, self._rule, most, self._pace, margins)

    def decode(self, loop: MeasuredDecode, on_step: OnStep | None = None) -> None:
        """Runs ``loop`` to its end."""
        with self.target.decoding():
            loop.run(on_step)

    def baseline(self, request: Request, begun: Callable[[Row], None] = lambda row: None) -> tuple[Output, StageStats]:
        """Decodes ``request`` one token per step, without its drafts; ``begun`` receives its row before the first."""
        loop = self.batch([replace(request, plain=True)], 1)
        loop.admit()
        [row] = loop.scheduler.rows
        begun(row)
        start = time.perf_counter()
        with self.target.decoding():
            row.counts.steps = decode_autoregressively(self.target, loop.cache, row, self._margins)
        row.counts.decode_seconds = time.perf_counter() - start
        row.counts.forwards = row.counts.steps
        return row.result, stats_of([row], self.target.kv.nbytes)

    @contextmanager
    def frugal(self) -> Iterator[Decoder]:
        """Within this context, a decoder of the same output that needs the least memory."""
        with self._frugally():
            options = replace(self._options, max_tree=min(FRUGAL_TREE, self._options.max_tree))
            yield Decoder(self.target, options, self._proposer)

    def cache(self, max_rows: int, slots: int) -> SlotCache:
        """A KV cache of at least ``max_rows`` rows for requests of up to ``slots`` slots, trees not counted. It has the
        shape that the step runner prefers if the memory limit allows that."""
        slots += self.spare_slots - 1
        roomy = self.target.steps.geometry(max_rows, slots)
        if self.slots_allowed is None or roomy[0] * (roomy[1] + 1) <= self.slots_allowed:
            max_rows, slots = roomy
        return self.target.kv.cache(max_rows, slots, self._options.kv_limit)

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
        """The most slots of all rows of a batch together under ``kv-memory``; ``None`` without a limit."""
        limit = self._options.kv_limit
        return None if limit is None else limit // self.target.kv_spec.bytes_per_slot()


def decode_autoregressively(target: TargetModel, cache: SlotCache, row: Row, margins: bool = False) -> int:
    """Decodes ``row``, prefilled into row 0 of ``cache``, to its end; returns the number of forward passes.

    This lean loop is the baseline of all speed-ups: no proposer, no tree, and only the choice is copied back (with its
    margin if ``margins`` are wanted).
    """
    forwards = 0
    while row.finish is None and row.length < cache.slots - 1:
        position = row.length + row.rope_delta
        choice = target.steps.advance(PendingToken(row.pending, position, row.length, row.rules, margins), cache)
        row.length += 1
        forwards += 1
        row.decided(choice)
    return forwards
