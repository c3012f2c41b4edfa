"""Measures decoding from outside the loop; the loop itself knows nothing of measurements."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from docspec.core import StageStats
from docspec.engine.acceptance import VerifyOutcome
from docspec.engine.loop import SpecDecode, Step
from docspec.engine.row import Row


class MeasuredDecode(SpecDecode):
    """A decoding loop that fills the ``counts`` of each row.

    Rows share the seconds and the forward pass of a step equally, and the seconds of a prefill in proportion to their
    prompts' lengths. ``prefilled`` is the time at which the latest prefill ended, ``prefilling`` the seconds that it
    took.
    """

    prefilled = prefilling = 0.0

    def step(self) -> list[Row]:
        start, replayed = time.perf_counter(), self._replayed()
        sources = dict(self.proposer.seconds)
        rows = super().step()
        if rows:
            end, share = time.perf_counter(), 1 / len(rows)
            if self.prefilled > start:
                start = self.prefilled
            forwards = 1 + self._replayed() - replayed
            for row in rows:
                row.counts.decode_seconds += share * (end - start)
                row.counts.forwards += share * forwards
                known = row.counts.sources
                for name, seconds in self.proposer.seconds.items():
                    known[name] = known.get(name, 0.0) + share * (seconds - sources.get(name, 0.0))
        return rows

    def admit(self) -> list[Row]:
        known = len(self.scheduler.rows)
        start = time.perf_counter()
        rows = super().admit()
        entered = self.scheduler.rows[known:]
        now = time.perf_counter()
        seconds = now - start
        tokens = sum(row.request.prompt.length for row in entered)
        if entered:
            self.prefilled, self.prefilling = now, seconds
        for row in entered:
            row.counts.entered = now
            row.counts.prefill_seconds += seconds * row.request.prompt.length / tokens
        return rows

    def propose(self, rows: Sequence[Row]) -> Step:
        with _on_host(rows):
            step = super().propose(rows)
            if self.target.steps.dense:
                _ = step.batch.mask  # laid out here, where the host's time is taken
        return step

    def redecide(self, step: Step, outcomes: Sequence[VerifyOutcome]) -> None:
        before = [row.counts.replayed for row in step.rows]
        super().redecide(step, outcomes)
        for row, replayed in zip(step.rows, before, strict=True):
            row.counts.steps += row.counts.replayed - replayed

    def accept(self, step: Step, outcomes: Sequence[VerifyOutcome]) -> list[list[int]]:
        with _on_host(step.rows):
            accepted = super().accept(step, outcomes)
        for row, tree, kept in zip(step.rows, step.trees, accepted, strict=True):
            row.counts.steps += 1
            row.counts.drafted += len(tree) - 1
            row.counts.accepted += len(kept)
            row.counts.unverified += min(tree.assumed, len(kept))
        return accepted

    def _replayed(self) -> int:
        return sum(row.counts.replayed for row in self.scheduler.rows)


@contextmanager
def _on_host(rows: Sequence[Row]) -> Iterator[None]:
    start = time.perf_counter()
    yield
    share = (time.perf_counter() - start) / len(rows)
    for row in rows:
        row.counts.host_seconds += share


def stats_of(rows: Sequence[Row], kv_bytes: int) -> StageStats:
    """The counts of ``rows`` together; ``kv_bytes`` is the memory of their batch."""
    counts = [row.counts for row in rows]
    margin = min((one.margin for one in counts), default=math.inf)
    sources: dict[str, float] = {}
    for name, seconds in (each for one in counts for each in one.sources.items()):
        sources[name] = sources.get(name, 0.0) + seconds
    return StageStats(
        rows=len(rows),
        forwards=round(sum(one.forwards for one in counts)),
        steps=sum(one.steps for one in counts),
        drafted=sum(one.drafted for one in counts),
        accepted=sum(one.accepted for one in counts),
        tokens=sum(len(row.output) for row in rows),
        prompt_tokens=sum(row.request.prompt.length for row in rows),
        prefill_seconds=sum(one.prefill_seconds for one in counts),
        decode_seconds=sum(one.decode_seconds for one in counts),
        kv_bytes=kv_bytes,
        host_seconds=sum(one.host_seconds for one in counts),
        plain_tokens=sum(one.plain_tokens for one in counts),
        smallest_margin=margin if math.isfinite(margin) else None,
        redecided=sum(one.redecided for one in counts),
        unverified=sum(one.unverified for one in counts),
        source_seconds=sources,
    )
