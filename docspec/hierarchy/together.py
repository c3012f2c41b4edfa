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
from docspec.hierarchy.rows import Engine, OnStep, RowJob, RowOutput, RowQueue
from docspec.hierarchy.stage1 import MAX_ROWS, MAX_SLOTS
from docspec.speculation.decode import Row

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

    output: RowOutput
    page: StageStats
    regions: StageStats


def places_for(engine: Engine, page: RowJob, regions: Sequence[RowJob]) -> int:
    """Rows of a batch that holds the page; fewer than two if memory does not allow a region beside it.

    All rows are as long as the page's. Without ``--kv-memory`` there is always room for one region.
    """
    slots = max(job.slots for job in (page, *regions)) + engine.spare_slots
    allowed = engine.slots_allowed
    most = max(MAX_SLOTS, 2 * slots) if allowed is None else min(MAX_SLOTS, allowed)
    return min(1 + len(regions), 1 + MAX_ROWS, most // slots)


def verify_together(
    engine: Engine,
    page: RowJob,
    regions: Sequence[RowJob],
    places: int,
    spell: Spell,
    on_step: OnStep | None = None,
) -> BothStages:
    """Decodes ``page`` and ``regions`` in one batch of ``places`` rows (see :func:`places_for`)."""
    start = time.perf_counter()
    jobs = [replace(page, growing=tuple(ESCAPES * job.budget for job in regions)), *regions]
    queue = RowQueue(engine, jobs, engine.cache_for(jobs, places))
    [row] = queue.enter(range(1))
    prefill = queue.prefill_seconds
    following = _Following(queue, row, spell, on_step)
    forwards = engine.decode(queue, following)
    seconds = time.perf_counter() - start - queue.prefill_seconds
    shared = following.shared
    entered = queue.rows[1:]
    crops = engine.stats(regions[: len(entered)], entered, shared, queue.prefill_seconds - prefill, 0.0)
    return BothStages(
        queue.outputs()[0],
        replace(engine.stats([page], [row], forwards, prefill, seconds), shared_forwards=shared),
        replace(crops, shared_forwards=shared),
    )


class _Following:
    """After every step: hands to the page's proposer what the regions wrote, and ends them with the page."""

    def __init__(self, queue: RowQueue, page: Row, spell: Spell, on_step: OnStep | None) -> None:
        self.shared = 0
        self._queue = queue
        self._page = page
        self._spell = spell
        self._on_step = on_step
        self._handed: list[int] = []

    def __call__(self, running: Sequence[Row]) -> None:
        self.shared += len(running) > 1
        regions = self._queue.rows[1:]
        self._handed += [0] * (len(regions) - len(self._handed))
        for number, row in enumerate(regions):
            written = row.output[self._handed[number] :]
            if written:
                self._handed[number] += len(written)
                self._page.proposer.extend(number, self._spell(written))
        if self._page.finish is not None:
            self._queue.close()
            for row in regions:
                row.finish = row.finish or "stopped"
        if self._on_step is not None:
            self._on_step(running)
