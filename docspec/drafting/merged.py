"""Two drafts of one page in one: regions that cover each other hold the readings of both.

A text layer and a recognition err in different places; in a tree both readings stand side by side, and the target takes
from each what is right.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from docspec.core import BBox, Category, DrafterError, Event, PageDraft, PageImage, Region
from docspec.drafting.drafter import Drafter
from docspec.drafting.lines import without_spaces
from docspec.drafting.order import index_in_order

SAME = 0.5
"""From this share of a region within another one on, both read the same print."""

ALIKE = 0.9
"""Shares that differ by less are alike: edges of boxes are never exact."""


class MergedDrafter:
    """Drafts with two drafters; regions and their order are the first one's. If one fails or finds nothing, the
    other's draft remains."""

    def __init__(self, first: Drafter, second: Drafter) -> None:
        self._drafters = (first, second)
        self.name = f"{first.name}+{second.name}"

    def check(self) -> None:
        for drafter in self._drafters:
            getattr(drafter, "check", lambda: None)()

    def draft(self, page: PageImage) -> PageDraft:
        start = time.perf_counter()
        drafts: list[PageDraft] = []
        failed: list[DrafterError] = []
        for drafter in self._drafters:
            try:
                drafts.append(drafter.draft(page))
            except DrafterError as error:
                failed.append(error)
        if not drafts:
            raise failed[0]
        filled = [draft for draft in drafts if not draft.is_empty] or drafts[:1]
        draft = merged(*filled) if len(filled) == 2 else filled[0]
        events = tuple(Event("drafter_failed", str(error)) for error in failed)
        seconds = time.perf_counter() - start
        return replace(draft, seconds=seconds, events=(*draft.events, *events))


def merged(first: PageDraft, second: PageDraft) -> PageDraft:
    """The regions of ``first`` with the readings of ``second`` as further texts, and regions that only ``second`` has
    where they belong in the reading order."""
    regions = list(first.regions)
    readings: list[list[Region]] = [[] for _ in regions]
    loose: list[Region] = []
    for region in second.regions:
        if not region.texts:
            continue
        index = _same(region.bbox, regions)
        (loose if index is None else readings[index]).append(region)
    regions = [_with(region, others) for region, others in zip(regions, readings, strict=True)]
    for region in loose:
        regions.insert(index_in_order(region.bbox, [other.bbox for other in regions]), region)
    return replace(
        first,
        regions=tuple(regions),
        drafter=f"{first.drafter}+{second.drafter}",
        reason="; ".join(filter(None, (first.reason, second.reason))),
        page_texts=(*first.page_texts, *second.page_texts),
        events=(*first.events, *second.events),
        straight=first.straight or second.straight,
    )


def _same(box: BBox, regions: Sequence[Region]) -> int | None:
    """The region that overlaps ``box`` most, if most of the smaller one lies in the larger; of about equal ones the
    first with text."""
    shared = [max(box.overlap(other.bbox), other.bbox.overlap(box)) if other.texts else 0.0 for other in regions]
    most = max(shared, default=0.0)
    return next(index for index, one in enumerate(shared) if one >= ALIKE * most) if most > SAME else None


def _with(region: Region, others: Sequence[Region]) -> Region:
    """``region`` with the readings of ``others`` in its place (one region's separately, several regions' as one text),
    and whether the two drafters agree to the letter, white space aside."""
    if not others:
        return region
    if len(others) == 1:
        new = others[0].texts
    else:
        running = [other.texts[0] for other in others if other.category is not Category.TABLE]
        new = ("\n".join(running), *(other.texts[0] for other in others if other.category is Category.TABLE))
    same = without_spaces(region.texts[0]) == without_spaces(new[0]) != ""
    return replace(region, texts=tuple(dict.fromkeys((*region.texts, *filter(None, new)))), agreed=same)
