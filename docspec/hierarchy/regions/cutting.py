"""Completes the regions of a page, cuts them into crops and makes the requests for these, for every engine."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from docspec.core import Category, PageDraft, PageImage, Region
from docspec.dialects.text import split_marker
from docspec.drafting.layout import WHITE_SPACE, LayoutBox
from docspec.drafting.light import ink_left
from docspec.drafting.order import in_order, index_in_order
from docspec.drafting.straightening import as_printed, straightened
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy.regions.evidence import asked_for, known_texts, without_illegible
from docspec.hierarchy.regions.regions_read import Crop, RegionsRead
from docspec.hierarchy.regions.slices import WHOLE, CropLimits, Slice, crop_of, slices_of, type_size
from docspec.targets.model_profile import UNSURE, ModelProfile

if TYPE_CHECKING:
    from docspec.hierarchy.reading_context import ReadingContext

TOKENS_PER_CELL = 6
"""Output tokens that a crop may have per visual token, whatever its draft."""

LEAST_TOKENS = 64
"""Output tokens that any crop may have."""

KINDS = {Category.TABLE: "table", Category.FORMULA: "formula"}
"""Kinds of drafts (:class:`GenerationRequest`) other than text, by the region's category."""


class Cutting:
    """Cuts pages for the model and with the options of ``context``."""

    def __init__(self, context: ReadingContext) -> None:
        self._options, self._card, self._dialect = context.options, context.card, context.dialect
        card, sight = context.card, context.sight
        self._limits = CropLimits(
            sight.factor,
            card.line_pitch_px,
            card.crop_lines,
            card.crop_width,
            card.crop_height,
            sight.least_pixels,
            card.table_cells,
        )

    def cut(self, page: PageImage, draft: PageDraft) -> RegionsRead:
        """The regions of a page, including those that the draft missed, and their crops."""
        upright, straight = straightened(page, draft)
        found = self.crops_of(upright, complete(upright, straight, self._card if self._options.evidence else None))
        if draft.straight:
            regions = [replace(one, bbox=as_printed(one.bbox, draft.straight, page)) for one in found.regions]
            return replace(found, regions=regions)
        return found

    def crops_of(self, page: PageImage, regions: Sequence[Region]) -> RegionsRead:
        """The crops of ``regions``. Regions that are taken from the draft or whose words stand have none."""
        usual = type_size(regions)
        known = known_texts(regions, self._card) if self._options.evidence else {}
        from_draft = {
            number: self._dialect.region_drafts(region)[0]
            for number, region in enumerate(regions)
            if self._options.trust_agreement and may_be_taken(region)
        }
        crops = [
            self._crop(page, regions[number], number, piece)
            for number, region in enumerate(regions)
            if number not in from_draft and number not in known and asked_for(region, self._card)
            for piece in slices_of(page.image, region, self._limits, usual)
        ]
        return RegionsRead(regions, crops, from_draft, known)

    def _crop(self, page: PageImage, region: Region, number: int, piece: Slice) -> Crop:
        category = region.category if piece.cell is None else Category.TEXT
        shown = replace(region, category=category, texts=piece.drafts)
        picture = crop_of(page.image, piece, self._limits.factor, self._limits.least)
        cells = picture.width * picture.height // self._limits.factor**2
        most = self._options.max_tokens or self._card.max_new_tokens
        asked = GenerationRequest(
            picture,
            self._dialect.crop_prompt(shown),
            min(most, LEAST_TOKENS + TOKENS_PER_CELL * cells),
            tuple(self._dialect.region_drafts(shown)),
            KINDS.get(category, "text"),
            self._card.writes_special_tokens,
        )
        return Crop(number, piece, category, asked)


def complete(page: PageImage, draft: PageDraft, card: ModelProfile | None = None) -> list[Region]:
    """The regions of ``draft`` and the print that it missed, in reading order.

    With ``--words evidence``, for a reader with ``card``: ink in which a recogniser found no text becomes a picture, or
    is dropped if it is as small as a line. Illegible recognised text becomes a picture, unless the reader reads such
    regions. Pictures that no recogniser searched are marked. Items of lists without any mark are text
    (:func:`unlisted`).

    Running heads and feet become text where no layout model has seen the page, as do a head in the lower half of the
    page and a foot in the upper one.
    """
    regions = [
        replace(one, category=Category.TEXT)
        if one.category.is_furniture and (draft.layout == WHITE_SPACE or _stands_elsewhere(one, page))
        else one
        for one in draft.regions
    ]
    forgotten = ink_left(page, draft) if draft.unread is None else list(draft.unread)
    if card is not None and draft.searched:
        forgotten = [one for one in forgotten if one.category is Category.PICTURE]
    if regions:
        for one in forgotten:
            regions.insert(index_in_order(one.bbox, [other.bbox for other in regions]), one)
    else:
        order = in_order([LayoutBox(one.bbox, one.category) for one in forgotten], given=False)
        regions = [Region(box.bbox, box.category) for box in order]
    if card is not None:
        regions = unlisted(regions)
        regions = regions if UNSURE in card.reads else without_illegible(regions)
    if draft.searched:
        return regions
    return [replace(one, unsearched=one.category is Category.PICTURE and not one.labels) for one in regions]


def unlisted(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which a list is text if none of its items has a bullet, a number or a letter, and it is a single
    item or most items have several lines: hanging paragraphs, references, affiliations. A model of the layout calls
    them a list, and Markdown would give each a bullet that nobody printed."""
    result: list[Region] = []
    for listed, run in groupby(regions, lambda region: region.category is Category.LIST_ITEM):
        own = list(run)
        starts = [region.texts[0] for region in own if region.texts] if listed else []
        hanging = 2 * sum("\n" in text for text in starts) > len(own) > 1
        marked = any(split_marker(text)[0] or not _begins_text(text.lstrip()[:1]) for text in starts)
        if (hanging or (listed and len(own) == 1)) and not marked:
            own = [replace(region, category=Category.TEXT) for region in own]
        result += own
    return result


def _begins_text(sign: str) -> bool:
    """Whether ``sign`` is a letter, the raised number of a note, or a sign that no list has for a bullet."""
    return sign.isalpha() or sign in '/(["“„«' or unicodedata.category(sign) == "No"


def _stands_elsewhere(region: Region, page: PageImage) -> bool:
    """Whether a running head is in the lower half of the page, or a foot in the upper one."""
    upper = region.bbox.y0 + region.bbox.y1 < page.height
    return upper is (region.category is Category.PAGE_FOOTER)


def may_be_taken(region: Region) -> bool:
    """Whether ``region`` may be taken from the draft without being read (``trust-agreement``; lossy): two readings
    agree to the letter, and it contains no digit and no part of a formula. Text layer and recognition have different
    sources, the file and its picture. Where both agree, the print agrees, too, except where both make the same mistake:
    in tables, formulas, and digits, which no context corrects."""
    return region.agreed and region.category not in WHOLE and not any(map(_risky, region.texts[0]))


def _risky(char: str) -> bool:
    """Whether ``char`` is a digit or number, a mathematical sign, a raised letter or a Greek one."""
    return (
        char.isnumeric() or unicodedata.category(char) in ("Sm", "Lm") or unicodedata.name(char, "").startswith("GREEK")
    )
