"""Stage 1: every drafted region is verified on its own crop, many crops as rows of one batch.

Crops are small, so their prompts are short and their outputs are local; the outputs become drafts of Stage 2 (section
3.3 of the paper). A region without pixels or without text to verify is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from docspec.core import PageDraft, PageImage, StageStats
from docspec.dialects import Dialect
from docspec.engine.loop import OnStep
from docspec.engine.request import Request
from docspec.hierarchy.asking import MAX_REGION_TOKENS, asked_of_regions
from docspec.hierarchy.decoding.engine import Engine, decode_side_by_side
from docspec.hierarchy.loop_guard import LoopGuard

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

SPARE_TOKENS = 48
"""Output tokens of a region beyond one and a half times its longest draft."""


@dataclass(slots=True)
class RegionOutputs:
    """The target's text for each region of a page's draft (``""`` where nothing was verified), and the counts."""

    texts: list[str]
    stats: StageStats


def verify_regions(
    engine: Engine,
    target: TargetModel,
    dialect: Dialect,
    pages: Sequence[tuple[PageImage, PageDraft]],
    on_step: OnStep | None = None,
    max_tokens: int | None = None,
) -> list[RegionOutputs]:
    """Runs Stage 1 on the drafts of ``pages``, the regions of all pages in one batch. No region may write more than
    ``max_tokens``, the page's own budget if it has one.

    An output that was cut at its budget is kept.
    """
    limit = min(max_tokens or MAX_REGION_TOKENS, MAX_REGION_TOKENS)
    asked = [_requests(target, dialect, page, draft, limit) for page, draft in pages]
    decoded = decode_side_by_side(engine, [[job for _, job in jobs] for jobs in asked], on_step)
    found = []
    for (_, draft), jobs, (outputs, stats) in zip(pages, asked, decoded, strict=True):
        texts = [""] * len(draft.regions)
        for (index, _), output in zip(jobs, outputs, strict=True):
            if output.finish != "loop":
                texts[index] = target.detokenize(list(output.tokens))
        found.append(RegionOutputs(texts, stats))
    return found


def _requests(
    target: TargetModel, dialect: Dialect, page: PageImage, draft: PageDraft, limit: int
) -> list[tuple[int, Request]]:
    """The requests in reading order, each with the index of its region; no region may write more than ``limit``
    tokens."""
    found = []
    for index, asked in asked_of_regions(dialect, target.sight.factor, page, draft):
        drafts = tuple(tuple(target.tokenize(text)) for text in asked.drafts)
        longest = max(map(len, drafts), default=0)
        budget = min(longest + longest // 2 + SPARE_TOKENS, limit)
        assert asked.image is not None
        prompt = target.encode(asked.image, asked.prompt)
        found.append((index, Request(prompt, drafts, budget, stop=partial(LoopGuard, target.detokenize))))
    return found
