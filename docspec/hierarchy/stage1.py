"""Stage 1: every drafted region is verified on its own crop, many crops as parallel rows of one batch.

Crops are small, so their prompts are short and their outputs are local; what they write becomes the drafts of
Stage 2 (section 3.3 of the paper). A region without pixels or without text to verify is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docspec.core import PageDraft, PageImage, Region, StageStats
from docspec.dialects import Dialect
from docspec.hierarchy.crops import crop
from docspec.hierarchy.rows import Engine, OnStep, RowJob

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget

MAX_ROWS = 16
"""Crops verified in one batch; bounds the KV buffer."""

SPARE_TOKENS = 48
"""Tokens beyond one and a half times its longest draft that a region may write."""

MAX_REGION_TOKENS = 1536


@dataclass(frozen=True, slots=True)
class RegionOutputs:
    """What the target wrote for each region of a draft, ``""`` where nothing was verified, and the counts."""

    texts: list[str]
    stats: StageStats


def verify_regions(
    engine: Engine,
    target: TransformersTarget,
    dialect: Dialect,
    page: PageImage,
    draft: PageDraft,
    on_step: OnStep | None = None,
) -> RegionOutputs:
    """Runs Stage 1 over ``draft``; an output that did not end by itself is kept as far as it goes."""
    texts = [""] * len(draft.regions)
    total = StageStats()
    for group in _groups(list(enumerate(draft.regions))):
        indices, jobs = [], []
        for index, region in group:
            job = _job(target, dialect, page, region)
            if job is not None:
                indices.append(index)
                jobs.append(job)
        if not jobs:
            continue
        outputs, stats = engine.speculate(jobs, on_step)
        total += stats
        for index, output in zip(indices, outputs, strict=True):
            texts[index] = target.detokenize(list(output.tokens)) if output.finish != "loop" else ""
    return RegionOutputs(texts, total)


def _job(target: TransformersTarget, dialect: Dialect, page: PageImage, region: Region) -> RowJob | None:
    if not region.texts:
        return None
    image = crop(page.image, region.bbox, target.processing.factor)
    if image is None:
        return None
    drafts = tuple(tuple(target.tokenize(text)) for text in dialect.region_drafts(region))
    longest = max((len(draft) for draft in drafts), default=0)
    budget = min(longest + longest // 2 + SPARE_TOKENS, MAX_REGION_TOKENS)
    return RowJob(target.encode(image, dialect.crop_prompt(region)), drafts, budget, held=drafts)


def _groups(regions: Sequence[tuple[int, Region]]) -> Iterator[Sequence[tuple[int, Region]]]:
    """Batches of regions of similar height, so that rows of one batch end at about the same time."""
    by_size = sorted(regions, key=lambda item: item[1].bbox.area)
    for start in range(0, len(by_size), MAX_ROWS):
        yield by_size[start : start + MAX_ROWS]
