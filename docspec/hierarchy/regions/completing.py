"""Completes the regions of a page: those of its draft, and print that no region covers."""

from __future__ import annotations

from dataclasses import replace

from docspec.core import Category, PageDraft, PageImage, Region
from docspec.drafting.assembly import place
from docspec.drafting.layout import WHITE_SPACE, LayoutBox
from docspec.drafting.order import by_white_space
from docspec.drafting.unread import unread_regions
from docspec.hierarchy.legibility import without_illegible
from docspec.targets.model_profile import UNSURE, ModelProfile


def complete(page: PageImage, draft: PageDraft, card: ModelProfile | None = None) -> list[Region]:
    """The regions of ``draft`` and the print that it missed, in reading order.

    With ``--words evidence``, for a reader with ``card``: ink in which a recogniser found no text becomes a picture, or
    is dropped if it is as small as a line. Illegible recognised text becomes a picture, unless the reader reads such
    regions. Pictures that no recogniser searched are marked.

    Running heads and feet become text where no layout model has seen the page, as do a head in the lower half of the
    page and a foot in the upper one.
    """
    regions = [
        replace(one, category=Category.TEXT)
        if one.category.is_furniture and (draft.layout == WHITE_SPACE or _stands_elsewhere(one, page))
        else one
        for one in draft.regions
    ]
    forgotten = unread_regions(page.image, regions) if draft.unread is None else list(draft.unread)
    if card is not None and draft.searched:
        forgotten = [one for one in forgotten if one.category is Category.PICTURE]
    if regions:
        for one in forgotten:
            regions.insert(place(one.bbox, [other.bbox for other in regions]), one)
    else:
        order = by_white_space([LayoutBox(one.bbox, one.category) for one in forgotten])
        regions = [Region(box.bbox, box.category) for box in order]
    if card is not None and UNSURE not in card.reads:
        regions = without_illegible(regions)
    if draft.searched:
        return regions
    return [replace(one, unsearched=one.category is Category.PICTURE and not one.labels) for one in regions]


def _stands_elsewhere(region: Region, page: PageImage) -> bool:
    """Whether a running head is in the lower half of the page, or a foot in the upper one."""
    upper = region.bbox.y0 + region.bbox.y1 < page.height
    return upper is (region.category is Category.PAGE_FOOTER)
