"""Measures decoding from outside the loop; the loop itself knows nothing of measurements."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from docspec.core import StageStats
from docspec.engine.acceptance import VerifyOutcome
from docspec.engine.loop import SpecDecode, Step
from docspec.engine.row import Row


class MeasuredDecode(SpecDecode):
    """A decoding loop that fills the ``counts`` of each row and counts the forward passes of all rows in ``forwards``.

    Rows share the host's time of a step equally, and the time of a prefill in proportion to their prompts' lengths.
    ``prefilled`` is the time at which the latest prefill ended, ``prefilling`` the seconds that it took.
    """

    forwards = 0
    prefilled = prefilling = 0.0

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

    def verify(self, step: Step) -> list[VerifyOutcome]:
        self.forwards += 1
        return super().verify(step)

    def redecide(self, step: Step, outcomes: Sequence[VerifyOutcome]) -> None:
        before = [row.counts.replayed for row in step.rows]
        super().redecide(step, outcomes)
        for row, replayed in zip(step.rows, before, strict=True):
            row.counts.steps += row.counts.replayed - replayed
            self.forwards += row.counts.replayed - replayed

    def accept(self, step: Step, outcomes: Sequence[VerifyOutcome]) -> list[list[int]]:
        with _on_host(step.rows):
            found = super().accept(step, outcomes)
        for row, tree, kept in zip(step.rows, step.trees, found, strict=True):
            row.counts.steps += 1
            row.counts.drafted += len(tree) - 1
            row.counts.accepted += len(kept)
            row.counts.unverified += min(tree.assumed, len(kept))
        return found


@contextmanager
def _on_host(rows: Sequence[Row]) -> Iterator[None]:
    start = time.perf_counter()
    yield
    share = (time.perf_counter() - start) / len(rows)
    for row in rows:
        row.counts.host_seconds += share


def stats_of(
    rows: Sequence[Row],
    forwards: int,
    decoding: float,
    kv_bytes: int,
    sources: Mapping[str, float] | None = None,
    share: float = 1.0,
) -> StageStats:
    """The counts of ``rows``, which took part in ``forwards`` forward passes. They are charged with a ``share`` of
    their batch's ``decoding`` seconds and of the seconds of its proposers, ``sources``."""
    counts = [row.counts for row in rows]
    margin = min((one.margin for one in counts), default=math.inf)
    return StageStats(
        rows=len(rows),
        forwards=forwards,
        steps=sum(one.steps for one in counts),
        drafted=sum(one.drafted for one in counts),
        accepted=sum(one.accepted for one in counts),
        tokens=sum(len(row.output) for row in rows),
        prompt_tokens=sum(row.request.prompt.length for row in rows),
        prefill_seconds=sum(one.prefill_seconds for one in counts),
        decode_seconds=share * decoding,
        kv_bytes=kv_bytes,
        host_seconds=sum(one.host_seconds for one in counts),
        plain_tokens=sum(one.plain_tokens for one in counts),
        smallest_margin=margin if math.isfinite(margin) else None,
        redecided=sum(one.redecided for one in counts),
        unverified=sum(one.unverified for one in counts),
        source_seconds={name: share * seconds for name, seconds in (sources or {}).items()},
    )


def shares(total: int, weights: Sequence[int]) -> list[int]:
    """``total`` split into integers in proportion to ``weights``; their sum is exactly ``total`` (largest
    remainders)."""
    whole = sum(weights)
    if not whole:
        weights, whole = [1] * len(weights), len(weights)
    parts = [total * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: total * weights[i] % whole, reverse=True)
    for index in by_remainder[: total - sum(parts)]:
        parts[index] += 1
    return parts
