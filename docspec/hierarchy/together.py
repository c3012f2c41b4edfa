"""Both stages in one batch: the page is written while its regions are verified, drafting from what they write.

The paper describes two phases; here, as in its authors' code, they overlap. The page is the first row and is never
without a place. Regions enter in reading order, so that they are ahead of where the page is, and each is a draft of
the page that grows with every step. When the page has ended, so have the regions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from docspec.core import StageStats
from docspec.engine.loop import OnStep
from docspec.engine.request import GrowingDraft, Output, Request
from docspec.engine.row import Row
from docspec.engine.scheduler import Scheduler
from docspec.hierarchy.decoding.engine import Engine
from docspec.hierarchy.decoding.measuring import stats_of
from docspec.hierarchy.decoding.side_by_side import MAX_ROWS, MAX_SLOTS

Spell = Callable[[list[int]], Sequence[int]]
"""From tokens of a crop's output to tokens as the page spells them."""

ESCAPES = 2
"""Room of a growing draft over the tokens that its region may write: the page may need more to say the same."""


@dataclass(frozen=True, slots=True)
class BothStages:
    """The page's output and the counts of its row and of the regions' rows.

    Each stage counts the forward passes in which its rows took part; the regions' rows are never alone, so theirs are
    all shared. The page's ``decode_seconds`` hold all of them, the regions' only their own prefill.
    """

    output: Output
    page: StageStats
    regions: StageStats


def rows_for(engine: Engine, page: Request, regions: Sequence[Request]) -> int:
    """Rows of a batch that holds the page; fewer than two if memory does not allow a region beside it.

    All rows are as long as the page's. Without ``--kv-memory`` there is always room for one region.
    """
    slots = max(job.slots for job in (page, *regions)) + engine.spare_slots
    allowed = engine.slots_allowed
    most = max(MAX_SLOTS, 2 * slots) if allowed is None else min(MAX_SLOTS, allowed)
    return min(1 + len(regions), 1 + MAX_ROWS, most // slots)


def verify_together(
    engine: Engine,
    page: Request,
    regions: Sequence[Request],
    max_rows: int,
    spell: Spell,
    on_step: OnStep | None = None,
) -> BothStages:
    """Decodes ``page`` and ``regions`` in one batch of ``max_rows`` rows (see :func:`rows_for`)."""
    start = time.perf_counter()
    growing = tuple(GrowingDraft(ESCAPES * region.budget) for region in regions)
    loop = engine.batch([replace(page, growing=growing), *regions], max_rows)
    following = _Following(loop.scheduler, growing, spell, on_step)
    engine.decode(loop, following)
    row, *entered = loop.scheduler.rows
    prefill = sum(one.counts.prefill_seconds for one in loop.scheduler.rows)
    seconds = time.perf_counter() - start - prefill
    shared, kv_bytes, sources = following.shared, engine.target.kv.nbytes, loop.proposer.seconds
    return BothStages(
        row.result,
        replace(stats_of([row], loop.forwards, seconds, kv_bytes, sources), shared_forwards=shared),
        replace(stats_of(entered, shared, 0.0, kv_bytes), shared_forwards=shared),
    )


class _Following:
    """After every step, hands what the regions wrote to the page's growing drafts; ends the regions with the page."""

    def __init__(
        self, scheduler: Scheduler, growing: Sequence[GrowingDraft], spell: Spell, on_step: OnStep | None
    ) -> None:
        self.shared = 0
        self._scheduler = scheduler
        self._growing = growing
        self._spell = spell
        self._on_step = on_step
        self._handed = [0] * len(growing)

    def __call__(self, running: Sequence[Row]) -> None:
        self.shared += len(running) > 1
        page, *regions = self._scheduler.rows
        for number, row in enumerate(regions):
            written = row.output[self._handed[number] :]
            if written:
                self._handed[number] += len(written)
                self._growing[number].extend(self._spell(written))
        if page.finish is not None:
            self._scheduler.close()
            for row in regions:
                row.stop()
        if self._on_step is not None:
            self._on_step(running)
