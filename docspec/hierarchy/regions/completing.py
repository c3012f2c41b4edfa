"""All regions of a page: those of its draft, and print that no region covers."""

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
    """The regions of ``draft`` and what it forgot, in reading order. Where words stand (``--words evidence``), for a
    reader with ``card``, ink in which a recogniser found no text is no text: it is a picture, or left out where it is
    as small as a line; and what it recognised without sense is a picture, unless the reader is asked for it. Pictures
    in which no recogniser has looked are marked as such.

    Running heads and feet become text where no layout model has seen the page, and so do a head in the lower half of
    the page and a foot in the upper one.
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
    """Whether a running head or foot stands in the other half of the page."""
    upper = region.bbox.y0 + region.bbox.y1 < page.height
    return upper is (region.category is Category.PAGE_FOOTER)
