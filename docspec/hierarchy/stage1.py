"""Stage 1: every drafted region is verified on its own crop, many crops as parallel rows of one batch.

Crops are small, so their prompts are short and their outputs are local; what they write becomes the drafts of
Stage 2 (section 3.3 of the paper). A region without pixels or without text to verify is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from docspec.core import PageDraft, PageImage, Region, StageStats
from docspec.dialects import Dialect
from docspec.hierarchy.crops import crop
from docspec.hierarchy.rows import Engine, OnStep, RowJob

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget

Key = TypeVar("Key")

MAX_ROWS = 16
"""Crops verified in one batch."""

MAX_SLOTS = 16384
"""Slots of the KV buffer that a batch of crops may take: about what one long page takes."""

SPARE_TOKENS = 48
"""Tokens beyond one and a half times its longest draft that a region may write."""

MAX_REGION_TOKENS = 1536


@dataclass(slots=True)
class RegionOutputs:
    """What the target wrote for each region of a page's draft, ``""`` where nothing was verified, and the counts."""

    texts: list[str]
    stats: StageStats


def verify_regions(
    engine: Engine,
    target: TransformersTarget,
    dialect: Dialect,
    pages: Sequence[tuple[PageImage, PageDraft]],
    on_step: OnStep | None = None,
    max_tokens: int | None = None,
) -> list[RegionOutputs]:
    """Runs Stage 1 over the drafts of ``pages``, the regions of all of them side by side.

    An output that did not end by itself is kept as far as it goes.
    """
    found = [RegionOutputs([""] * len(draft.regions), StageStats()) for _, draft in pages]
    jobs = [
        ((number, index), job)
        for number, (page, draft) in enumerate(pages)
        for index, job in region_jobs(target, dialect, page, draft, max_tokens)
    ]
    for queue, places in _queues(jobs, engine.slots_allowed, engine.spare_slots):
        by_page: dict[int, list[tuple[int, RowJob]]] = {}
        for (number, index), job in queue:
            by_page.setdefault(number, []).append((index, job))
        groups = [[job for _, job in own] for own in by_page.values()]
        shared = engine.speculate_groups(groups, on_step, places)
        for (number, own), (outputs, stats) in zip(by_page.items(), shared, strict=True):
            found[number].stats += stats
            for (index, _), output in zip(own, outputs, strict=True):
                if output.finish != "loop":
                    found[number].texts[index] = target.detokenize(list(output.tokens))
    return found


def region_jobs(
    target: TransformersTarget,
    dialect: Dialect,
    page: PageImage,
    draft: PageDraft,
    max_tokens: int | None = None,
) -> list[tuple[int, RowJob]]:
    """The rows of Stage 1 in reading order, each with the index of its region.

    No region may write more than ``max_tokens``, the page's own budget where there is one.
    """
    limit = min(max_tokens or MAX_REGION_TOKENS, MAX_REGION_TOKENS)
    asked = (
        (index, _job(target, dialect, page, region, limit)) for index, region in enumerate(draft.regions)
    )
    return [(index, job) for index, job in asked if job is not None]


def _job(
    target: TransformersTarget, dialect: Dialect, page: PageImage, region: Region, limit: int
) -> RowJob | None:
    if not region.texts:
        return None
    image = crop(page.image, region.bbox, target.processing.factor)
    if image is None:
        return None
    drafts = tuple(tuple(target.tokenize(text)) for text in dialect.region_drafts(region))
    longest = max((len(draft) for draft in drafts), default=0)
    budget = min(longest + longest // 2 + SPARE_TOKENS, limit)
    return RowJob(target.encode(image, dialect.crop_prompt(region)), drafts, budget, held=drafts)


def _queues(
    jobs: Sequence[tuple[Key, RowJob]], allowed: int | None = None, spare: int = 0
) -> Iterator[tuple[list[tuple[Key, RowJob]], int]]:
    """Jobs that pass through one buffer, the longest first, and the rows that the buffer has for them.

    All rows of a buffer are as long as its longest job, ``spare`` slots included; so long jobs, of which fewer than
    ``MAX_ROWS`` fit the bound (``allowed`` slots where that is less), do not share it with short ones.
    """
    most = MAX_SLOTS if allowed is None else min(MAX_SLOTS, allowed)
    waiting = sorted(jobs, key=lambda item: -item[1].slots)
    while waiting:
        places = max(1, min(len(waiting), MAX_ROWS, most // (waiting[0][1].slots + spare)))
        if places in (len(waiting), MAX_ROWS):
            yield waiting, places
            return
        queue = [item for item in waiting if (item[1].slots + spare) * MAX_ROWS > most]
        yield queue, min(places, len(queue))
        waiting = waiting[len(queue) :]
